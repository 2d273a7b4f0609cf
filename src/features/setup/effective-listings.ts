import { createEncryption } from '@tallyhook/platform/encryption/encryption';
import { communityConfig } from '../../../config/listings.ts';
import type { Config, ListingConfig } from '../../../config/schema.ts';
import type { StoredCommunity } from '../../core/settings/stored-settings.ts';
import type { SettingsStore } from '../../core/store/settings/store.ts';
import { openSettings, type UnreadableSecret } from './opened-settings.ts';

/** Communities that are read at once. */
const communitiesPerPage = 500;

/** What is configured at a moment, for a command beside the running program. */
export interface EffectiveListings {
  /** Those of the operator, and those that were linked in Discord, in guilds that the bot has not left. */
  readonly listings: readonly ListingConfig[];
  /** The guilds that they name. */
  readonly guildIds: readonly string[];
  /** The stored secrets, which nothing may show. */
  readonly secrets: readonly string[];
  /** Stored secrets that cannot be decrypted here. */
  readonly unreadable: readonly (UnreadableSecret & { readonly guildId: string })[];
}

/** The listings of settings and database together. Only reads. Rejects with the errors of the store. */
export async function effectiveListings(
  { base, encryption: keys }: Pick<Config, 'base' | 'encryption'>,
  store: Pick<SettingsStore, 'communitiesAfter'>,
): Promise<EffectiveListings> {
  const communities = await allCommunities(store);
  const encryption = createEncryption(keys);
  const opened = communities
    .filter(({ parkedAt }) => parkedAt === null)
    .map((community) => ({ guildId: community.guildId, ...openSettings(community, encryption) }));
  const settingsOf = new Map<string | null, (typeof opened)[number]['settings']>(
    opened.map(({ guildId, settings }) => [guildId, settings]),
  );
  const parked = new Set<string | null>(communities.flatMap((each) => (each.parkedAt === null ? [] : each.guildId)));
  const guildIds = new Set([...base.sources.map(({ guildId }) => guildId), ...settingsOf.keys()]);
  const present = [...guildIds].filter((guildId) => !parked.has(guildId));
  return {
    listings: present.flatMap((guildId) => communityConfig(base, guildId, settingsOf.get(guildId) ?? []).listings),
    guildIds: present.filter((guildId) => guildId !== null),
    secrets: opened.flatMap(({ secrets }) => secrets),
    unreadable: opened.flatMap(({ guildId, unreadable }) => unreadable.map((secret) => ({ guildId, ...secret }))),
  };
}

/** What is stored of all communities. */
async function allCommunities(store: Pick<SettingsStore, 'communitiesAfter'>): Promise<readonly StoredCommunity[]> {
  const all: StoredCommunity[] = [];
  for (;;) {
    const page = await store.communitiesAfter(all.at(-1)?.guildId ?? '', communitiesPerPage);
    all.push(...page);
    if (page.length < communitiesPerPage) return all;
  }
}
