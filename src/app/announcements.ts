import type { ListingConfig } from '../../config/schema.ts';
import { type AnnouncementStyle, plainStyle, styleOf } from '../discord/announcement-style.ts';
import { type AnnouncementSettings, plainAnnouncements } from '../texts/announcement-settings.ts';

/** What is announced of the configured listings, and how, by the name of the listing. */
export interface AnnouncementsOfListings {
  settingsOf(listing: string): AnnouncementSettings;
  styleOf(listing: string): AnnouncementStyle;
  /** The configured language for a channel or a guild (Discord's locale); null without one. */
  languageOf(place: { readonly channelId: string } | { readonly guildId: string }): string | null;
  /** Whether the party is shown in a channel: it is switched on where its votes are announced. */
  announcesParty(channelId: string): boolean;
}

export function createAnnouncements(listings: readonly ListingConfig[]): AnnouncementsOfListings {
  const settings = new Map(listings.map(({ name, announcements }) => [name, announcements]));
  const styles = new Map([...settings].map(([name, each]) => [name, styleOf(each)]));
  const isQuiet = (guildId: string | null) =>
    listings.some((each) => each.guildId === guildId && !each.announcements.party);
  const quietChannels = new Set(
    listings.filter(({ guildId }) => isQuiet(guildId)).map(({ announceChannelId }) => announceChannelId),
  );
  return {
    settingsOf: (listing) => settings.get(listing) ?? plainAnnouncements,
    styleOf: (listing) => styles.get(listing) ?? plainStyle,
    languageOf(place) {
      const isThere = ({ guildId, announceChannelId, premiumChannelId, ownerChannelId }: ListingConfig) =>
        'guildId' in place
          ? guildId === place.guildId
          : [announceChannelId, premiumChannelId, ownerChannelId].includes(place.channelId);
      const listing = listings.find((each) => each.announcements.language !== null && isThere(each));
      return listing?.announcements.language ?? null;
    },
    announcesParty: (channelId) => !quietChannels.has(channelId),
  };
}
