import type { ListingConfig } from '../../config/schema.ts';
import { type AnnouncementStyle, plainStyle, styleOf } from '../discord/announcements/announcement-style.ts';
import type { Digest } from '../outbox/effect-contents.ts';
import type { Period } from '../tally/digest-period.ts';
import { type AnnouncementSettings, plainAnnouncements } from '../texts/announcement-settings.ts';

/** What is announced of the configured listings, and how, by the name of the listing. */
export interface AnnouncementsOfListings {
  settingsOf(listing: string): AnnouncementSettings;
  styleOf(listing: string): AnnouncementStyle;
  /** Null for a listing that is not configured. */
  findStyle(listing: string): AnnouncementStyle | null;
  /** A period in the time zone of the listing's community. */
  periodOf(period: Pick<Digest, 'listing' | 'from' | 'until'>): string;
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
    findStyle: (listing) => styles.get(listing) ?? null,
    periodOf: ({ listing, from, until }) => {
      const timeZone = listings.find(({ name }) => name === listing)?.timeZone ?? 'UTC';
      return formatPeriod({ from, until }, timeZone);
    },
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

/** `2026-01-05 12:00 – 13:00 GMT+1`; with the second date if it is another. The offset tells apart repeated hours. */
export function formatPeriod({ from, until }: Period, timeZone: string): string {
  const digits = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone } as const;
  const time = new Intl.DateTimeFormat('en-GB', digits);
  const withOffset = new Intl.DateTimeFormat('en-GB', { ...digits, timeZoneName: 'shortOffset' });
  const date = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeZone });
  const [firstDay, lastDay] = [date.format(from), date.format(until)];
  return `${firstDay} ${time.format(from)} – ${firstDay === lastDay ? '' : `${lastDay} `}${withOffset.format(until)}`;
}
