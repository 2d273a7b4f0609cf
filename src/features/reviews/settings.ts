import { announcementSwitch } from '../../core/announcements/announcement-switch.ts';

declare module '../../texts/announcement-settings.ts' {
  interface AnnouncementSettings {
    /** Whether new reviews are announced. */
    readonly reviews: boolean;
  }
}

export const reviews = announcementSwitch('reviews', 'Announce new reviews of the listing.', false);
