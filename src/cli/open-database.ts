import { systemClock } from '@tallyhook/platform/clock';
import { DatabaseUnreleasedError } from '@tallyhook/platform/database/database-unreleased-error';
import { createEncryption } from '@tallyhook/platform/encryption/encryption';
import { TallyhookError } from '@tallyhook/platform/errors';
import { createLog } from '@tallyhook/platform/log';
import { UsageError, withSuggestion } from '@tallyhook/platform/terminal/terminal';
import type { Config } from '../../config/schema.ts';
import { openSnapshot, readDatabaseStatus, type Snapshot } from '../core/store/snapshots/snapshot.ts';
import { prepareCommunities } from '../features/communities/community-ids.ts';
import { type Community, createDirectory, withoutGuild } from '../features/communities/directory.ts';
import { SettingsInEffect } from '../features/settings/in-effect.ts';
import { openStore, type Store } from '../features/store.ts';

/** The options of commands that change much: `--dry-run`, `--yes`, and `--json`. */
export interface BulkOptions {
  readonly dryRun: boolean;
  readonly yes: boolean;
  readonly json: boolean;
}

/** Opens the database for one command, without a thread of its own. Throws what {@link openStore} throws. */
export async function withStore<Result>(
  url: string,
  use: (store: Store) => Promise<Result>,
  options: Parameters<typeof openStore>[2] = {},
): Promise<Result> {
  const store = await openStore(url, systemClock, { ...options, thread: false });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

/** Opens a snapshot of the ledger. @param options.older whether an older version will do @throws TallyhookError */
export async function withLedger<Result>(
  url: string,
  { older }: { readonly older: boolean },
  use: (snapshot: Snapshot) => Promise<Result>,
): Promise<Result> {
  const { state, ...status } = await readDatabaseStatus(url);
  if (state === 'older' && !older) throw olderDatabase();
  if (state === 'unreleased') throw new DatabaseUnreleasedError();
  if (state !== 'current' && state !== 'older') {
    const reason = 'reason' in status ? status.reason : state;
    throw new TallyhookError('no_ledger', `The ledger cannot be read: ${reason}.`, {
      hint: ('hint' in status && status.hint) || 'Check DATABASE_URL, or run `tallyhook doctor`.',
    });
  }
  const snapshot = await openSnapshot(url);
  try {
    return await use(snapshot);
  } finally {
    await snapshot.close();
  }
}

/** The database has to be upgraded first. */
export function olderDatabase(): TallyhookError {
  return new TallyhookError('no_ledger', 'The database has an older version.', {
    hint: 'Start tallyhook once to upgrade it. Make a backup first: `tallyhook backup FILE`.',
  });
}

/** All communities with a listing, as they are set up in the settings and in Discord. */
export async function communitiesOf(config: Config, store: Store): Promise<readonly Community[]> {
  const log = createLog({ level: 'silent', secrets: config.secrets });
  const communityIds = await prepareCommunities(store.communityIds, config.listings);
  const directory = createDirectory(config.listings, communityIds.of);
  const settings = new SettingsInEffect(config.base, {
    store: store.settings,
    encryption: createEncryption(config.encryption),
    addCommunities: (guildIds) => communityIds.add(guildIds),
    replace: directory.replace,
    redact: null,
    log,
  });
  await settings.load();
  return directory.communities.filter(({ named }) => named.length > 0);
}

/** The community of a guild, {@link withoutGuild}, or null for the only one. @throws UsageError */
export async function findCommunity(config: Config, store: Store, guildId: string | null): Promise<Community> {
  const communities = await communitiesOf(config, store);
  const [first, ...others] = communities;
  if (first === undefined) {
    throw new UsageError('There is no community yet: link a listing with /setup in Discord, or configure one.');
  }
  const ids = communities.map((community) => community.guildId ?? withoutGuild);
  const known = communities.map(({ named }, index) => `${ids[index]} (${named.map(({ name }) => name).join(', ')})`);
  if (guildId === null) {
    if (others.length === 0) return first;
    throw new UsageError(`There are several communities, choose one with --guild: ${known.join('; ')}.`);
  }
  const found = communities.find((community) => (community.guildId ?? withoutGuild) === guildId);
  if (found === undefined) {
    const message = `There is no community "${guildId}". There is: ${known.join('; ')}.`;
    throw new UsageError(withSuggestion(message, guildId, ids));
  }
  return found;
}

/** The listing of rows that name none. @param name null for the only one @throws UsageError */
export function findListing({ named }: Community, name: string | null): string {
  const names = named.map((listing) => listing.name);
  const [only] = names;
  if (name === null && only !== undefined && names.length === 1) return only;
  if (name === null) throw new UsageError(`Choose with --listing what the votes are for: ${names.join(', ')}.`);
  if (!names.includes(name)) throw new UsageError(withSuggestion(`There is no listing "${name}".`, name, names));
  return name;
}
