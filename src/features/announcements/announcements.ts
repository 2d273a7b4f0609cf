import { memoizeOne } from '@tallyhook/platform/memoize';
import type { AddedValue } from '../../core/added-value.ts';
import { styleOf } from '../../core/announcements/announcement-style.ts';
import type { Directory } from '../communities/feature.ts';
import { plainStyle } from '../settings.ts';

export function createAnnouncements(directory: Directory) {
  const styleOfSettings = memoizeOne(styleOf);

  function findStyle(listing: string) {
    const settings = directory.find(listing)?.announcements;
    return settings === undefined ? null : styleOfSettings(settings);
  }

  function listingsAt(place: { readonly channelId: string } | { readonly guildId: string }) {
    return 'guildId' in place ? directory.ofGuild(place.guildId)?.listings : directory.inChannel(place.channelId);
  }

  return {
    styleOf: (listing: string) => findStyle(listing) ?? plainStyle,
    /** Null for a listing that is not configured. */
    findStyle,
    /** The configured language for a channel or a guild (Discord's locale); null without one. */
    languageOf: (place: Parameters<typeof listingsAt>[0]): string | null =>
      listingsAt(place)?.find(({ announcements }) => announcements.language !== null)?.announcements.language ?? null,
    /** True if something is switched on for all listings whose votes are announced in a channel. */
    announces: (event: AddedValue<boolean>, channelId: string) =>
      directory
        .inChannel(channelId)
        .every(({ announceChannelId, announced }) => announceChannelId !== channelId || event.in(announced)),
  };
}
