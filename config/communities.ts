import { isDeepStrictEqual } from 'node:util';
import type { PartyRules, StreakRules } from '../src/core/rewards/rules.ts';
import type { CommunityPath } from '../src/features/settings.ts';
import type { ShopItem } from '../src/features/shop/item.ts';
import type { ConfigIssue } from '../src/platform/invalid-config-error.ts';
import type { ListingSource } from './listing-source.ts';
import type { FileListing } from './listings-file.ts';

/** What all listings of one guild share. */
export interface Community {
  readonly timeZone: string;
  readonly ownerChannelId: string | null;
  readonly streak: StreakRules | null;
  readonly party: PartyRules | null;
  readonly shop: readonly ShopItem[];
}

/** The community of listings for which the file says nothing. */
export const plainCommunity: Community = { timeZone: 'UTC', ownerChannelId: null, streak: null, party: null, shop: [] };

/**
 * The guild of each listing: its own `guildId`, else `DISCORD_GUILD_ID`, else the server that it is. A bot belongs to
 * the server if all server listings are the same one. Null if the guild is not known.
 */
export function guildIdsOf(listings: readonly FileListing[], defaultGuildId: string | undefined): (string | null)[] {
  const servers = new Set(listings.filter(({ kind }) => kind === 'server').map(({ id, guildId }) => guildId ?? id));
  const [onlyServer] = servers.size === 1 ? servers : [];
  return listings.map(({ kind, id, guildId }) => {
    return guildId ?? defaultGuildId ?? (kind === 'server' ? id : onlyServer) ?? null;
  });
}

/**
 * The community of each listing. A listing inherits what it leaves out from the other listings of its guild; values that
 * differ are an issue. Listings without a known guild are one community.
 */
export function communitiesOf(listings: readonly ListingSource[], issues: ConfigIssue[]): Community[] {
  const byGuild = Map.groupBy(listings, ({ guildId }) => guildId);
  const communities = new Map([...byGuild].map(([guildId, members]) => [guildId, communityOf(members, issues)]));
  return listings.map(({ guildId }) => communities.get(guildId) ?? plainCommunity);
}

/** The community of these listings, which have the same guild. */
function communityOf(listings: readonly ListingSource[], issues: ConfigIssue[]): Community {
  const shared = <Value>(path: CommunityPath, read: (source: ListingSource) => Value | null | undefined) => {
    const [first, ...others] = listings.filter((each) => read(each) !== undefined);
    if (first === undefined) return null;
    const value = read(first);
    const different = others.filter((each) => !isDeepStrictEqual(read(each), value));
    issues.push(...different.map((each) => conflictIssue(path, first, each)));
    return value ?? null;
  };
  return {
    timeZone: shared('timeZone', ({ listing }) => listing.timeZone) ?? plainCommunity.timeZone,
    ownerChannelId: shared('ownerChannelId', ({ listing }) => listing.ownerChannelId),
    streak: shared('rewards.streak', ({ listing }) => listing.rewards?.streak),
    party: shared('rewards.party', ({ listing }) => listing.rewards?.party),
    shop: shared('shop', ({ shop }) => shop) ?? [],
  };
}

function conflictIssue(path: CommunityPath, first: ListingSource, other: ListingSource): ConfigIssue {
  const listings = `the listings "${first.listing.name}" and "${other.listing.name}"`;
  return {
    setting: `${other.setting}.${path}`,
    problem: `is different in ${listings}, which belong to the same guild (${other.guildId ?? 'not configured'}).`,
    hint: 'Keep it in one of them; the listings of a guild share it. If they have different guilds, set guildId.',
  };
}
