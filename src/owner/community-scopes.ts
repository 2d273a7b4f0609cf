import type { Directory } from '../features/communities/directory.ts';
import type { OwnerGuilds } from './context.ts';

/** What belongs to each community whose guild is known, as it is configured now. */
export function createCommunityScopes(directory: Directory): Pick<OwnerGuilds, 'ids' | 'scopeOf'> {
  return {
    ids: () => directory.communities.flatMap(({ guildId }) => guildId ?? []),
    scopeOf(guildId) {
      const community = directory.ofGuild(guildId);
      if (community === undefined) return null;
      const { accounts, listings } = community;
      const former = listings.flatMap(({ formerLinks = [] }) => formerLinks.map(({ name }) => name));
      const channels = listings.flatMap((each) => [each.announceChannelId, each.premiumChannelId, each.ownerChannelId]);
      return {
        guildId,
        accounts,
        listings: [...new Set([...listings.map(({ name }) => name), ...former])],
        channels: [...new Set(channels.filter((id) => id !== null))].filter((id) => isOwn(id, guildId)),
      };
    },
  };

  /** A channel that another community posts in as well says nothing of whose effects they are. */
  function isOwn(channelId: string, guildId: string): boolean {
    return directory.inChannel(channelId).every((listing) => listing.guildId === guildId);
  }
}
