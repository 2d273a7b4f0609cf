import { addedValue } from '../../core/added-value.ts';
import { announcementSwitch } from '../../core/announcements/announcement-style.ts';

/** True if new reviews are announced: of the announcements of a listing. */
export const reviewsAnnounced = addedValue('reviews', false);

export const reviews = announcementSwitch('reviews', 'Announce new reviews of the listing.', false);
