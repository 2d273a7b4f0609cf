import { TallyhookError } from '@tallyhook/platform/errors';
import type { CommunityId } from '../../core/ledger/account.ts';
import type { Standings } from '../../core/ledger/standing.ts';
import type { Community, Directory } from './directory.ts';

/** In place of a guild, where a caller has to name the community of listings without a guild. */
export const withoutGuild = 'none';

/** The communities in a sentence, each with its guild and its listings. */
export function describeCommunities({ communities }: Pick<Directory, 'communities'>): string {
  return communities
    .map(({ guildId, listings }) => `${guildId ?? withoutGuild} (${listings.map(({ name }) => name).join(', ')})`)
    .join('; ');
}

/** The communities, each once: listings without a guild may belong to one that has a guild. */
export function distinctCommunities({ communities }: Pick<Directory, 'communities'>): readonly Community[] {
  return [...new Map(communities.toReversed().map((community) => [community.id, community])).values()].reverse();
}

/**
 * The community that is meant where none is named: the only one.
 * @throws TallyhookError `ledger_unknown_community` if there is none, or several
 */
export function onlyCommunity(directory: Pick<Directory, 'communities'>): Community {
  const [only, ...others] = distinctCommunities(directory);
  if (only === undefined) {
    throw new TallyhookError('ledger_unknown_community', 'There is no community yet.', {
      hint: 'Configure a listing, or link one with /setup.',
    });
  }
  if (others.length > 0) {
    const message = `There are several communities, so one has to be named: ${describeCommunities(directory)}.`;
    throw new TallyhookError('ledger_unknown_community', message, { hint: 'Pass the id of its guild as guildId.' });
  }
  return only;
}

/** The standings in {@link onlyCommunity}; each call rejects as it throws. */
export function standingsOfOnly(
  directory: Pick<Directory, 'communities'>,
  standingsIn: (communityId: CommunityId, timeZone: string) => Standings,
): Standings {
  const only = () => {
    const { id, timeZone } = onlyCommunity(directory);
    return standingsIn(id, timeZone);
  };
  return {
    standing: async (userId, now) => only().standing(userId, now),
    summary: async (userId, now) => only().summary(userId, now),
    lastVotes: async (userId) => only().lastVotes(userId),
    leaderboard: async (query, now) => only().leaderboard(query, now),
  };
}
