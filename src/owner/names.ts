import { BoundedMap } from '@tallyhook/platform/bounded-map';
import type { Clock } from '@tallyhook/platform/clock';
import { minute, second } from '@tallyhook/platform/durations';
import { parseJson } from '@tallyhook/platform/json';
import { isSnowflake } from '@tallyhook/platform/snowflake';
import { settleWithin } from '@tallyhook/platform/with-timeout';
import { accountIdOf, isPseudonym } from '../core/ledger/account.ts';
import type { Records } from '../core/records/records.ts';
import { findUsername } from '../core/records/username.ts';
import type { GuildReader } from '../discord/guild-reader.ts';
import type { CommunityScope, OwnerCommunities } from './communities.ts';

/** How long a page waits for names that Discord or the service has to say (ms). */
const timeoutMs = second;
const lifetimeMs = 10 * minute;
const maxKnown = 20_000;
/** Guilds whose roles and channels are named where all are shown. */
const maxGuilds = 5;

/** The names on a page, as far as they are known. All of them are external text. */
export interface NameBook {
  member(userId: string | null): string | null;
  role(id: string): string | null;
  channel(id: string): string | null;
  listing(name: string | null): string | null;
}

/** Reads names for a page; takes about a second at most, and never rejects. */
export type ReadNames = (userIds: Iterable<string | null>) => Promise<NameBook>;

export interface NamesOptions {
  readonly records: Pick<Records, 'recentBody'>;
  readonly communities: OwnerCommunities;
  readonly guildIds: () => readonly string[];
  readonly reader: GuildReader | null;
  readonly listingNames: (listings: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  readonly listings: () => readonly string[];
  readonly clock: Clock;
}

/** Names of members from their newest deliveries or Discord, of listings from the service; in one community or all. */
export function createNames(options: NamesOptions): (scope: CommunityScope | null) => ReadNames {
  const { records, communities, guildIds, reader, listingNames, listings, clock } = options;
  const known = new BoundedMap<{ readonly name: string | null; readonly at: number }>(maxKnown);

  async function findMember(userId: string, scope: CommunityScope | null): Promise<string | null> {
    const all = scope === null ? await communities.of(userId) : [communities.at(scope.guildId)];
    for (const { id } of all) {
      const body = await records.recentBody(accountIdOf(id, userId));
      const name = body === null ? null : findUsername(parseJson(body), userId);
      if (name !== null) return name;
    }
    for (const { guildId } of all) {
      const member = guildId === null ? null : await reader?.member(guildId, userId);
      if (member) return member.name;
    }
    // A member who has left.
    return (await reader?.user(userId)) ?? null;
  }

  async function nameMember(userId: string, scope: CommunityScope | null): Promise<readonly [string, string | null]> {
    const key = `${scope?.guildId ?? ''} ${userId}`;
    const latest = known.get(key);
    if (latest !== undefined && clock.monotonic() - latest.at < lifetimeMs) return [userId, latest.name];
    const name = await findMember(userId, scope);
    known.set(key, { name, at: clock.monotonic() });
    return [userId, name];
  }

  async function nameAll<Name>(read: readonly Promise<Name>[]): Promise<Name[]> {
    const settled = await Promise.all(read.map((each) => settleWithin(timeoutMs, clock, each)));
    return settled.filter((each) => each !== undefined);
  }

  return (scope) => async (userIds) => {
    const wanted = [...new Set(userIds)].filter((id) => id !== null && !isPseudonym(id)) as string[];
    const ids = scope === null ? guildIds().slice(0, maxGuilds) : [scope.guildId];
    const guilds = reader === null ? [] : ids;
    const [members, details, channels, named] = await Promise.all([
      nameAll(wanted.map((userId) => nameMember(userId, scope))),
      nameAll(guilds.map((id) => reader?.guild(id) ?? Promise.resolve(null))),
      nameAll(guilds.map((id) => reader?.channels(id) ?? Promise.resolve(null))),
      settleWithin(timeoutMs, clock, listingNames(scope?.listings ?? listings())),
    ]);
    const memberNames = new Map(members);
    const roleNames = new Map(details.flatMap((guild) => (guild?.roles ?? []).map(({ id, name }) => [id, name])));
    const channelNames = new Map(channels.flatMap((all) => (all ?? []).map(({ id, name }) => [id, name])));
    return {
      member: (userId) => (userId === null ? null : (memberNames.get(userId) ?? null)),
      role: (id) => roleNames.get(id) ?? null,
      channel: (id) => channelNames.get(id) ?? null,
      listing: (name) => (name === null ? null : (named?.get(name) ?? null)),
    };
  };
}

/** The newest deliveries in which names are searched, and how many members are found. */
const searchedDeliveries = 500;
const maxFound = 20;

/** Members by a part of their name: those of the newest deliveries, and those who Discord says, by id. Never rejects. */
export async function searchMembers(
  {
    records,
    guilds,
    scope,
  }: {
    readonly records: Pick<Records, 'deliveries'>;
    readonly guilds: { readonly ids: () => readonly string[]; readonly reader: GuildReader | null };
    readonly scope: CommunityScope | null;
  },
  text: string,
): Promise<ReadonlyMap<string, string>> {
  const wanted = text.toLocaleLowerCase();
  const ids = scope === null ? guilds.ids().slice(0, maxGuilds) : [scope.guildId].filter(isSnowflake);
  const asked = ids.map((id) => guilds.reader?.search(id, text) ?? Promise.resolve([]));
  const [deliveries, said] = await Promise.all([
    records.deliveries({ limit: searchedDeliveries, before: null }),
    Promise.all(asked.map((each) => each.catch(() => []))),
  ]);
  const ofDeliveries = deliveries.flatMap(({ userId, body }) => {
    const name = userId === null || isPseudonym(userId) ? null : findUsername(parseJson(body), userId);
    return userId !== null && name?.toLocaleLowerCase().includes(wanted) ? [[userId, name] as const] : [];
  });
  const all = [...said.flat().map(({ id, name }) => [id, name] as const), ...ofDeliveries];
  return new Map([...new Map(all)].slice(0, maxFound));
}
