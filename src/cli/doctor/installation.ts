import type { Clock } from '@tallyhook/platform/clock';
import type { DatabaseStatus } from '@tallyhook/platform/database/snapshots/database-status';
import type { DoctorCheck } from '@tallyhook/platform/doctor/check';
import { second } from '@tallyhook/platform/durations';
import { once } from '@tallyhook/platform/memoize';
import { plainName } from '@tallyhook/platform/truncate';
import type { Config, ListingConfig } from '../../../config/schema.ts';
import type { ProgramNote } from '../../core/store/installation.ts';
import { openSnapshot, readDatabaseStatus, type Snapshot } from '../../core/store/snapshots/snapshot.ts';
import { type BotIdentity, type ChannelAccess, fetchBotIdentity, inspectChannel } from '../../discord/inspection.ts';
import { createDiscordRest, type DiscordRest } from '../../discord/rest.ts';
import { type EffectiveListings, effectiveListings } from '../../features/settings/in-effect.ts';
import { openStore, type Store } from '../../features/store.ts';
import { memoryBudgetStore } from '../../lookup/budget.ts';
import { fetchProfileOfKey } from '../../lookup/client.ts';
import { fetchStoreState, isFileReplaced, type RunningStoreState } from './running-program.ts';

/** Everything that the checks look at. A check declares only what it needs of it. */
export interface Installation {
  readonly config: Config;
  /** Listings that are configured, by the operator and in Discord. */
  readonly effective: EffectiveListings;
  /** Effective listings that are looked at one by one. */
  readonly listings: readonly ListingConfig[];
  /** Note of the program that uses the database: its commands, and listings that are not in the settings. */
  readonly program: ProgramNote;
  readonly clock: Clock;
  /** Webhook URL as configured at the service; null checks this machine only. */
  readonly url: string | null;
  /** Paths of files that contain secrets. */
  readonly secretFiles: readonly string[];
  readonly rest: DiscordRest;
  /** The bot to which the token belongs. Rejects as {@link fetchBotIdentity}. */
  readonly identity: () => Promise<BotIdentity>;
  /** The bot to which the token belongs; null if it cannot be fetched, which the check `discord` reports. */
  readonly bot: () => Promise<BotIdentity | null>;
  /** Permissions of the bot in a channel, requested once. Rejects as {@link inspectChannel}; null without a bot. */
  readonly channel: (id: string) => Promise<ChannelAccess | null>;
  /** Answers of the service for the API keys, with one request for each; null if the requests cannot be counted. */
  readonly profiles: () => Promise<readonly KeyResult[] | null>;
  readonly running: RunningStoreState;
  readonly status: DatabaseStatus;
  /** Null if the database has a different version: opening the store would migrate it. */
  readonly store: Store | null;
  /** Null if there is no database of tallyhook. */
  readonly snapshot: Snapshot | null;
}

export type InstallationCheck = DoctorCheck<Installation>;

/** A check of a database that can be read. */
export function ledgerCheck(
  name: string,
  run: (snapshot: Snapshot, installation: Installation) => ReturnType<InstallationCheck['run']>,
): InstallationCheck {
  return {
    name,
    run: (installation) => (installation.snapshot === null ? [] : run(installation.snapshot, installation)),
  };
}

/** Opens what the checks look at. */
export async function openInstallation(
  config: Config,
  options: Pick<Installation, 'clock' | 'url' | 'secretFiles'>,
): Promise<Installation & { readonly close: () => Promise<void> }> {
  const running = await fetchStoreState(config.http);
  const database = isFileReplaced(running) ? unopened : await openForReading(config.databaseUrl, options.clock);
  const { store, snapshot } = database;
  const rest = createDiscordRest(config.discord);
  const identity = once(() => fetchBotIdentity(rest));
  const bot = () => identity().catch(() => null);
  const effective = await readListings(config, database);
  const listings = checkedListings(effective.listings);
  const channels = new Map<string, Promise<ChannelAccess | null>>();
  async function inspect(channelId: string): Promise<ChannelAccess | null> {
    const identified = await bot();
    if (identified === null) return null;
    return inspectChannel(rest, { channelId, userId: identified.userId, now: options.clock.now() });
  }
  return {
    ...options,
    ...database,
    config,
    effective,
    listings,
    program: store === null ? { listings: [], commands: null } : await readNote(store, config, effective),
    rest,
    identity,
    bot,
    channel(id) {
      const access = channels.get(id) ?? inspect(id);
      channels.set(id, access);
      return access;
    },
    profiles: once(() => fetchProfiles({ listings, lookup: config.lookup }, database, options.clock)),
    running,
    async close() {
      await snapshot?.close();
      await store?.close();
    },
  };
}

/** Listings that were linked in Discord and are looked at one by one: each costs requests. */
const maxLinked = 50;

function checkedListings(listings: readonly ListingConfig[]): readonly ListingConfig[] {
  const linked = listings.filter((listing) => listing.linked).slice(maxLinked);
  return linked.length === 0 ? listings : listings.filter((listing) => !linked.includes(listing));
}

/** Without a database of this version, what the operator has configured. */
async function readListings(config: Config, { store }: Pick<OpenDatabase, 'store'>): Promise<EffectiveListings> {
  if (store !== null) return effectiveListings(config, store.settings);
  const { listings } = config;
  const guildIds = [...new Set(listings.flatMap(({ guildId }) => guildId ?? []))];
  return { listings, guildIds, secrets: [], unreadable: [] };
}

async function readNote(store: Store, config: Config, effective: EffectiveListings): Promise<ProgramNote> {
  const { listings, commands } = await store.installation.note();
  const known = new Set([...config.listings, ...effective.listings].map(({ name }) => name));
  return { listings: listings.filter(({ name }) => !known.has(name)), commands };
}

type OpenDatabase = Pick<Installation, 'status' | 'store' | 'snapshot'>;

/** Opening the file would make SQLite apply the write-ahead log of the replaced file to the new one. */
const unopened: OpenDatabase = {
  status: { state: 'unreadable', reason: 'the running process has a different file open' },
  store: null,
  snapshot: null,
};

/** Creates no file, and does not migrate a database of an older version. */
async function openForReading(url: string, clock: Clock): Promise<OpenDatabase> {
  const status = await readDatabaseStatus(url);
  const isReadable = status.state === 'current' || status.state === 'older';
  return {
    status,
    store: status.state === 'current' ? await openStore(url, clock, { thread: false }).catch(() => null) : null,
    snapshot: isReadable ? await openSnapshot(url).catch(() => null) : null,
  };
}

/** Timeout of a request to the service (ms). */
const requestTimeoutMs = 6 * second;

export type KeyProfile = Awaited<ReturnType<typeof fetchProfileOfKey>>;

/** The profile of the listing that an API key belongs to, or an error, mostly a `LookupError`. */
type KeyResult = { readonly listing: ListingConfig } & ({ readonly profile: KeyProfile } | { readonly error: unknown });

/** A listing by its name on the service, with the configured one if it differs. */
export type TitleOf = (listing: string) => string;

export function titlesOf(results: readonly KeyResult[] | null): TitleOf {
  const names = new Map(
    (results ?? []).flatMap((each) => ('profile' in each ? [[each.listing.name, each.profile.name]] : [])),
  );
  return (listing) => {
    const name = plainName(names.get(listing) ?? '');
    return name === '' || name === listing ? listing : `${name} (${listing})`;
  };
}

/** Asks the service for the profile of each API key; null if the requests cannot be counted. */
async function fetchProfiles(
  { listings, lookup }: Pick<Config, 'listings' | 'lookup'>,
  { store, status }: OpenDatabase,
  clock: Clock,
): Promise<readonly KeyResult[] | null> {
  // Without a database there is no other process that counts requests.
  const budget = store?.budgetStore ?? (status.state === 'absent' ? memoryBudgetStore() : null);
  if (budget === null) return null;
  const options = { baseUrl: lookup.baseUrl, budget, clock, timeoutMs: requestTimeoutMs };
  const keys = listings.flatMap((listing) => (listing.lookupKey === null ? [] : [{ listing, key: listing.lookupKey }]));
  return Promise.all(
    keys.map(({ listing, key }) =>
      fetchProfileOfKey({ ...options, kind: listing.kind, key }).then(
        (profile) => ({ listing, profile }),
        (error: unknown) => ({ listing, error }),
      ),
    ),
  );
}
