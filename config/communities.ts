import { isDeepStrictEqual } from 'node:util';
import type { PartyRules } from '../src/rewards/rules.ts';
import type { ShopItem } from '../src/rewards/shop-item.ts';
import type { FileListing } from './listings-file.ts';
import type { ConfigIssue } from './schema.ts';

/** What all listings of one guild share. */
export interface Community {
  readonly timeZone: string;
  readonly ownerChannelId: string | null;
  readonly party: PartyRules | null;
  readonly shop: readonly ShopItem[];
}

/** The community of listings for which the file says nothing. */
export const plainCommunity: Community = { timeZone: 'UTC', ownerChannelId: null, party: null, shop: [] };

/** A listing of the file with its guild, and its shop with all codes. */
export interface GuildListing {
  readonly file: FileListing;
  readonly guildId: string | null;
  readonly shop: readonly ShopItem[] | undefined;
}

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

/** Names of the shared values in the file. */
const namesInFile: Readonly<Record<keyof Community, string>> = {
  timeZone: 'timeZone',
  ownerChannelId: 'ownerChannelId',
  party: 'rewards.party',
  shop: 'shop',
};
const sharedNames = Object.keys(namesInFile) as (keyof Community)[];

/** The shared values that a listing states itself. */
function ownValues({ file, shop }: GuildListing): { readonly [Name in keyof Community]: Community[Name] | undefined } {
  return { timeZone: file.timeZone, ownerChannelId: file.ownerChannelId, party: file.rewards?.party, shop };
}

/**
 * The community of each listing. A listing inherits what it leaves out from the other listings of its guild; values that
 * differ are an issue. Listings without a known guild are one community.
 */
export function communitiesOf(listings: readonly GuildListing[], issues: ConfigIssue[]): Community[] {
  issues.push(...listings.flatMap((listing, index) => conflictsOf(listing, index, listings)));
  return listings.map(({ guildId }) => {
    const values = listings.filter((each) => each.guildId === guildId).map(ownValues);
    const shared = <Name extends keyof Community>(name: Name): Community[Name] =>
      values.map((each) => each[name]).find((value) => value !== undefined) ?? plainCommunity[name];
    return {
      timeZone: shared('timeZone'),
      ownerChannelId: shared('ownerChannelId'),
      party: shared('party'),
      shop: shared('shop'),
    };
  });
}

/** An issue for each value that differs from that of the first listing of the guild with such a value. */
function conflictsOf(listing: GuildListing, index: number, listings: readonly GuildListing[]): ConfigIssue[] {
  const own = ownValues(listing);
  return sharedNames.flatMap((name) => {
    const first = listings.find((each) => each.guildId === listing.guildId && ownValues(each)[name] !== undefined);
    if (own[name] === undefined || first === undefined || isDeepStrictEqual(own[name], ownValues(first)[name]))
      return [];
    const [value, guild] = [namesInFile[name], listing.guildId ?? 'an unknown guild'];
    return [
      {
        setting: `TALLYHOOK_CONFIG listings.${index}.${value}`,
        problem: `is not the same for the listings "${first.file.name}" and "${listing.file.name}" of one community (${guild}).`,
        hint: `Listings of one guild share it: keep it in one of them. If the guilds are different, give each its guildId.`,
      },
    ];
  });
}
