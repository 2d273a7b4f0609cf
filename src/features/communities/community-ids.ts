import type { ListingConfig } from '../../../config/schema.ts';
import type { CommunityId } from '../../core/ledger/account.ts';
import type { CommunityKey, CommunityStore } from '../../core/store/communities.ts';

/** Finds the community of a guild, or with null that of listings without a guild; undefined if there is none. */
export type FindCommunityId = (guildId: string | null) => CommunityId | undefined;

/** The communities of the database, by their guild, as far as this process has heard of them. */
export class CommunityIds {
  readonly #store: Pick<CommunityStore, 'add'>;
  #byGuild: ReadonlyMap<string | null, CommunityId> = new Map();
  #guilds: ReadonlyMap<CommunityId, string | null> = new Map();

  constructor(store: Pick<CommunityStore, 'add'>, known: readonly CommunityKey[]) {
    this.#store = store;
    this.#set(known);
  }

  readonly of: FindCommunityId = (guildId) => this.#byGuild.get(guildId);

  /** Discord ID; null if it is not known. */
  guildOf(id: CommunityId): string | null {
    return this.#guilds.get(id) ?? null;
  }

  /** Adds the communities of guilds that have none. Rejects with the errors of the store. */
  async add(guildIds: readonly string[]): Promise<void> {
    const missing = guildIds.filter((guildId) => !this.#byGuild.has(guildId));
    if (missing.length > 0) this.#set(await this.#store.add(missing));
  }

  #set(known: readonly CommunityKey[]): void {
    this.#byGuild = byGuild(known);
    this.#guilds = new Map(known.map(({ id, guildId }) => [id, guildId]));
  }
}

export function byGuild(known: readonly CommunityKey[]): ReadonlyMap<string | null, CommunityId> {
  return new Map(
    known.flatMap(({ id, guildId, isDefault }): [string | null, CommunityId][] => [
      ...(guildId === null ? [] : [[guildId, id] as [string, CommunityId]]),
      ...(isDefault ? [[null, id] as [null, CommunityId]] : []),
    ]),
  );
}

export function guildsOf(listings: readonly Pick<ListingConfig, 'guildId'>[]): readonly string[] {
  return [...new Set(listings.flatMap(({ guildId }) => guildId ?? []))];
}

/** Adds the communities of the operator's listings, before votes are received. Rejects with the errors of the store. */
export async function prepareCommunities(
  store: Pick<CommunityStore, 'all' | 'add' | 'addConfigured'>,
  listings: readonly ListingConfig[],
): Promise<CommunityIds> {
  const guildIds = guildsOf(listings);
  const stored = await store.all();
  // Usually nothing is written, so that a program also starts while its database is locked.
  const isComplete = guildIds.every((guildId) => stored.some((each) => each.guildId === guildId));
  const isDefaultKnown =
    guildIds.length === 0 || stored.some(({ isDefault, guildId }) => isDefault && guildId !== null);
  return new CommunityIds(store, isComplete && isDefaultKnown ? stored : await store.addConfigured(guildIds));
}
