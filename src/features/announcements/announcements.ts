import { memoizeOne } from '@tallyhook/platform/memoize';
import { styleOf } from '../../core/announcements/announcement-style.ts';
import type { Directory } from '../communities/feature.ts';
import type { AnnouncementsOfListings } from '../parts.ts';
import { plainStyle } from '../settings.ts';

export function createAnnouncements(directory: Directory): AnnouncementsOfListings {
  const styleOfSettings = memoizeOne(styleOf);

  function findStyle(listing: string) {
    const settings = directory.find(listing)?.announcements;
    return settings === undefined ? null : styleOfSettings(settings);
  }

  function listingsAt(place: Parameters<AnnouncementsOfListings['languageOf']>[0]) {
    return 'guildId' in place ? directory.ofGuild(place.guildId)?.listings : directory.inChannel(place.channelId);
  }

  return {
    styleOf: (listing) => findStyle(listing) ?? plainStyle,
    findStyle,
    languageOf: (place) =>
      listingsAt(place)?.find(({ announcements }) => announcements.language !== null)?.announcements.language ?? null,
    announces: (event, channelId) =>
      directory
        .inChannel(channelId)
        .every(({ announceChannelId, announced }) => announceChannelId !== channelId || event.in(announced)),
  };
}
