import { memoizeOne } from '../../platform/memoize.ts';
import { type AnnouncementSettings, plainAnnouncements } from '../../texts/announcement-settings.ts';
import type { Directory } from '../communities/directory.ts';
import type { Digest } from '../digests/effects.ts';
import type { Period } from '../digests/period.ts';
import { type AnnouncementStyle, plainStyle, styleOf } from './announcement-style.ts';

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

export function createAnnouncements(directory: Directory): AnnouncementsOfListings {
  const styleOfSettings = memoizeOne(styleOf);
  const settingsOf = (listing: string) => directory.find(listing)?.announcements;

  function listingsAt(place: Parameters<AnnouncementsOfListings['languageOf']>[0]) {
    return 'guildId' in place ? directory.ofGuild(place.guildId)?.listings : directory.inChannel(place.channelId);
  }

  return {
    settingsOf: (listing) => settingsOf(listing) ?? plainAnnouncements,
    styleOf(listing) {
      const settings = settingsOf(listing);
      return settings === undefined ? plainStyle : styleOfSettings(settings);
    },
    findStyle(listing) {
      const settings = settingsOf(listing);
      return settings === undefined ? null : styleOfSettings(settings);
    },
    periodOf: ({ listing, from, until }) => formatPeriod({ from, until }, directory.find(listing)?.timeZone ?? 'UTC'),
    languageOf: (place) =>
      listingsAt(place)?.find(({ announcements }) => announcements.language !== null)?.announcements.language ?? null,
    announcesParty: (channelId) =>
      directory
        .inChannel(channelId)
        .every(({ announceChannelId, announced }) => announceChannelId !== channelId || announced.party),
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
