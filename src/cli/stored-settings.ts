import { existsSync } from 'node:fs';
import { sqlitePathOf } from '@tallyhook/platform/database/database-url';
import { messageOf } from '@tallyhook/platform/errors';
import { InvalidConfigError } from '@tallyhook/platform/invalid-config-error';
import { parseJson } from '@tallyhook/platform/json';
import type { Terminal } from '@tallyhook/platform/terminal/terminal';
import type { StoredSettings } from '../../config/describe.ts';
import { communityConfig, type OpenedSetting } from '../../config/listings.ts';
import type { Config, ListingConfig } from '../../config/schema.ts';
import { noCommunity } from '../core/ledger/account.ts';
import { readCommunities, withFirstGuild } from '../core/store/communities.ts';
import { accessTo, openSnapshot, type Snapshot } from '../core/store/snapshots/snapshot.ts';
import { byGuild, type FindCommunityId, guildsOf } from '../features/communities/community-ids.ts';
import { type CommunityListing, listingsWithCommunity } from '../features/communities/listings.ts';
import { isSecretPath } from '../features/settings.ts';

/**
 * Reads what `/setup` has stored, with placeholders for the secrets, so that no key is needed. Nothing if the database does not
 * exist, or has no tables yet. Only reads. Throws what the driver throws.
 */
export async function readStoredSettings(databaseUrl: string): Promise<StoredSettings> {
  const path = sqlitePathOf(databaseUrl);
  if (path !== null && !existsSync(path)) return new Map();
  const snapshot = await openSnapshot(databaseUrl);
  try {
    return (await snapshot.tables()).includes('setting_values') ? await storedSettingsIn(snapshot) : new Map();
  } finally {
    await snapshot.close();
  }
}

/** Reads what `/setup` has stored; nothing, with a warning, if the database cannot be read. @param databaseUrl may throw InvalidConfigError */
export async function storedSettingsOrWarning(databaseUrl: () => string, terminal: Terminal): Promise<StoredSettings> {
  try {
    return await readStoredSettings(databaseUrl());
  } catch (error) {
    if (!(error instanceof InvalidConfigError)) {
      const reason = messageOf(error);
      terminal.printError(
        `Warning: what /setup has stored is not shown, because the database cannot be read: ${reason}`,
      );
    }
    return new Map();
  }
}

async function storedSettingsIn({ db, run }: Snapshot): Promise<StoredSettings> {
  const values = db.selectFrom('setting_values').select(['guild_id', 'listing', 'path', 'value']);
  const rows = await run(values.orderBy('guild_id').orderBy('listing').orderBy('path'));
  const settings = new Map<string, OpenedSetting[]>();
  for (const { guild_id: guildId, listing, path, value: stored } of rows) {
    const parsed = parseJson(stored);
    const value = isSecretPath(path) ? placeholders(`${guildId}-${listing}-${path}`, path, Number(parsed)) : parsed;
    settings.set(guildId, [...(settings.get(guildId) ?? []), { listing, path, value }]);
  }
  return settings;
}

/**
 * As valid as the secrets, of which only the number is stored without encryption. Different ones, because listings with
 * the same API key would be the same server or bot.
 */
function placeholders(name: string, path: string, count: number): string | readonly string[] {
  const list = Array.from({ length: count }, (_, index) => `placeholder-of-secret-${name}-${index}`);
  return path === 'lookupKey' || path === 'siteKey' ? (list[0] ?? '') : list;
}

/** The listings that variables, file and `/setup` describe. Without usable secrets. */
export function listingsWith({ base }: Pick<Config, 'base'>, stored: StoredSettings): readonly ListingConfig[] {
  const guildIds = new Set([...base.sources.map(({ guildId }) => guildId), ...stored.keys()]);
  return [...guildIds].flatMap((guildId) => communityConfig(base, guildId, stored.get(guildId ?? '') ?? []).listings);
}

/**
 * The listings of {@link listingsWith} that are in effect, those of one community each: without those of guilds that have
 * removed the bot.
 */
export async function communitiesInEffect(
  snapshot: Snapshot,
  config: Pick<Config, 'base' | 'listings'>,
): Promise<readonly (readonly CommunityListing[])[]> {
  const { db, run } = snapshot;
  const parked = await run(db.selectFrom('guilds').select('guild_id').where('parked_at', 'is not', null));
  const isParked = (guildId: string) => parked.some((guild) => guild.guild_id === guildId);
  const stored = [...(await storedSettingsIn(snapshot))].filter(([guildId]) => !isParked(guildId));
  const access = accessTo(snapshot);
  // As the next start with these settings finds them.
  const communities = await withFirstGuild(access, await readCommunities(access), guildsOf(config.listings));
  const known = byGuild(communities);
  // Of a guild without a row, nothing is recorded yet.
  const idOf: FindCommunityId = (guildId) => known.get(guildId) ?? noCommunity;
  const listings = listingsWithCommunity(listingsWith(config, new Map(stored)), idOf);
  const keyOf = ({ community: { id, guildId } }: CommunityListing) => (id === noCommunity ? guildId : id);
  return [...Map.groupBy(listings, keyOf).values()];
}
