import type { ConfigIssue } from '@tallyhook/platform/invalid-config-error';
import { isEqual } from '@tallyhook/platform/json';
import { type SettingSpec, withValuesAt } from '../src/core/settings/setting-spec.ts';
import { settings } from '../src/features/settings.ts';
import { type ListingSource, statedValue } from './listing-source.ts';
import type { FileListing } from './listings-file.ts';

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
 * The listings with what the others of their guild state of the settings that they share; values that differ are an
 * issue. Listings without a known guild are one community.
 */
export function withSharedSettings(sources: readonly ListingSource[], issues: ConfigIssue[]): ListingSource[] {
  const byGuild = Map.groupBy(sources, ({ guildId }) => guildId);
  const shared = new Map([...byGuild].map(([guildId, members]) => [guildId, sharedValues(members, issues)]));
  return sources.map((source) => {
    return { ...source, listing: withValuesAt(source.listing, shared.get(source.guildId) ?? []) };
  });
}

/** The values by path. @param sources the listings of one guild */
function sharedValues(sources: readonly ListingSource[], issues: ConfigIssue[]) {
  const specs: readonly SettingSpec[] = settings.filter((spec: SettingSpec) => spec.isShared);
  return specs.flatMap((spec) => {
    const read = ({ listing }: ListingSource) => statedValue(spec, listing);
    const [first, ...others] = sources.filter((each) => read(each) !== undefined);
    if (first === undefined) return [];
    const value = read(first);
    const different = others.filter((each) => read(each) !== value && !isEqual(read(each), value));
    issues.push(...different.map((each) => conflictIssue(spec.path, first, each)));
    return [[spec.path, value] as const];
  });
}

function conflictIssue(path: string, first: ListingSource, other: ListingSource): ConfigIssue {
  const listings = `the listings "${first.listing.name}" and "${other.listing.name}"`;
  return {
    setting: `${other.setting}.${path}`,
    problem: `is different in ${listings}, which belong to the same guild (${other.guildId ?? 'not configured'}).`,
    hint: 'Keep it in one of them; the listings of a guild share it. If they have different guilds, set guildId.',
  };
}
