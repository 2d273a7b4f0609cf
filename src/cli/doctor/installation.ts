import type { Clock } from '@tallyhook/platform/clock';
import type { DatabaseStatus } from '@tallyhook/platform/database/snapshots/database-status';
import { fileProblems } from '@tallyhook/platform/database-files';
import { type DoctorCheck, type Finding, fail, pass, warn } from '@tallyhook/platform/doctor/check';
import { probeHttp } from '@tallyhook/platform/doctor/http-probe';
import { second } from '@tallyhook/platform/durations';
import { localUrl } from '@tallyhook/platform/host-address';
import { objectOf, parseJson, textOf } from '@tallyhook/platform/json';
import { once } from '@tallyhook/platform/memoize';
import { plainName } from '@tallyhook/platform/truncate';
import { z } from 'zod';
import type { Config, ListingConfig } from '../../../config/schema.ts';
import type { ProgramNote } from '../../core/store/installation.ts';
import { openSnapshot, readDatabaseStatus, type Snapshot } from '../../core/store/snapshots/snapshot.ts';
import { type ChannelAccess, fetchBotIdentity, inspectChannel } from '../../discord/inspection.ts';
import { createDiscordRest } from '../../discord/rest.ts';
import { type EffectiveListings, effectiveListings } from '../../features/settings/in-effect.ts';
import { openStore, type Store } from '../../features/store.ts';
import { memoryBudgetStore } from '../../lookup/budget.ts';
import { fetchProfileOfKey } from '../../lookup/client.ts';

/** Everything that the checks look at. A check declares only what it needs of it. */
export type Installation = Awaited<ReturnType<typeof openInstallation>>;

export type InstallationCheck = DoctorCheck<Installation>;

export function ledgerCheck(
  name: string,
  run: (snapshot: Snapshot, installation: Installation) => ReturnType<InstallationCheck['run']>,
): InstallationCheck {
  return {
    name,
    run: (installation) => (installation.snapshot === null ? [] : run(installation.snapshot, installation)),
  };
}

interface InstallationOptions {
  readonly clock: Clock;
  /** Webhook URL as configured at the service; null checks this machine only. */
  readonly url: string | null;
  readonly secretFiles: readonly string[];
}

export async function openInstallation(config: Config, options: InstallationOptions) {
  const running = await fetchStoreState(config.http);
  const database = isFileReplaced(running) ? unopened : await openForReading(config.databaseUrl, options.clock);
  const { store, snapshot } = database;
  const rest = createDiscordRest(config.discord);
  const identity = once(() => fetchBotIdentity(rest));
  /** Null if it cannot be fetched, which the check `discord` reports. */
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
    /** The listings that are looked at one by one. */
    listings,
    /** Note of the program that uses the database: its commands, and listings that are not in the settings. */
    program: store === null ? { listings: [], commands: null } : await readNote(store, config, effective),
    rest,
    identity,
    bot,
    /** Permissions of the bot in a channel, requested once. Rejects as {@link inspectChannel}; null without a bot. */
    channel(id: string) {
      const access = channels.get(id) ?? inspect(id);
      channels.set(id, access);
      return access;
    },
    /** Answers of the service for the API keys, with one request for each; null if the requests cannot be counted. */
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

/** The listings in use, or those that the operator has configured where no database of this version is. */
async function readListings(config: Config, { store }: Pick<OpenDatabase, 'store'>): Promise<EffectiveListings> {
  if (store !== null) return effectiveListings(config, store.settings);
  const { listings } = config;
  const guildIds = [...new Set(listings.flatMap(({ guildId }) => guildId ?? []))];
  return { listings: [...listings], guildIds, secrets: [], unreadable: [] };
}

async function readNote(store: Store, config: Config, effective: EffectiveListings): Promise<ProgramNote> {
  const { listings, commands } = await store.installation.note();
  const known = new Set([...config.listings, ...effective.listings].map(({ name }) => name));
  return { listings: listings.filter(({ name }) => !known.has(name)), commands };
}

interface OpenDatabase {
  readonly status: DatabaseStatus;
  /** Null if the database has a different version: opening the store would migrate it. */
  readonly store: Store | null;
  /** Null if there is no database of tallyhook. */
  readonly snapshot: Snapshot | null;
}

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

/** Timeout of `/readyz` (ms), whose own checks have 4 s. */
const readinessTimeoutMs = 6 * second;

/** Readiness of the store in the running process; null if no process responds on this machine. */
type RunningStoreState = z.infer<typeof storeState> | null;

const storeState = z.object({ ready: z.boolean(), reason: z.string().optional() });
const readiness = z.object({ parts: z.object({ store: storeState }) });

async function fetchStoreState(http: { readonly host: string; readonly port: number }): Promise<RunningStoreState> {
  if (http.port === 0) return null;
  const response = await probeHttp(`${localUrl(http.host, http.port)}/readyz`, {}, readinessTimeoutMs);
  const result = readiness.safeParse(response.status === null ? null : parseJson(response.body));
  return result.success ? result.data.parts.store : null;
}

/** Returns whether the file at the path is no longer the one that the running process has open. */
export function isFileReplaced(store: RunningStoreState): boolean {
  return fileProblemOf(store) !== undefined;
}

function fileProblemOf(store: RunningStoreState) {
  return Object.values(fileProblems).find(({ message }) => message === store?.reason);
}

/** @param database the state of the database of DATABASE_URL */
export function evaluateRunningProgram(store: RunningStoreState, database: DatabaseStatus['state']): Finding[] {
  if (store === null) return [];
  if (store.ready && database === 'absent') {
    return [
      fail(
        'Another tallyhook runs at HOST and PORT: it has a database, and that of DATABASE_URL does not exist yet.',
        'Choose another PORT. If you mean the one that runs, start the doctor in its folder, with its settings.',
      ),
    ];
  }
  if (store.ready) return [pass('The running tallyhook can store votes.')];
  const problem = fileProblemOf(store);
  const hint = problem === undefined ? 'See its log.' : `${problem.hint} The database was not checked.`;
  return [fail(`The running tallyhook cannot store votes: ${store.reason ?? 'no reason reported'}`, hint)];
}

/** Three numbers. Others, such as pre-releases, are not compared. */
const versionPattern = /^v?(\d+)\.(\d+)\.(\d+)$/;

/** Checks for a newer version; fails for nothing. @param url a release in the form of GitHub: `{tag_name, html_url}` */
export async function checkRelease(url: string | null, version: string, timeoutMs: number): Promise<Finding[]> {
  if (url === null) return [];
  const headers = { accept: 'application/json', 'user-agent': 'tallyhook' };
  const response = await probeHttp(url, { headers }, timeoutMs);
  if (response.status === null) return [pass(`The latest version is not known: no response (${response.reason}).`)];
  const { tag_name: tag, html_url: page } = objectOf(parseJson(response.body));
  const latest = numbersOf(textOf(tag));
  const own = numbersOf(version);
  if (response.status !== 200 || latest === null || own === null)
    return [pass(`The latest version is not known: status ${response.status}.`)];
  const differing = latest.findIndex((number, index) => number !== own[index]);
  if (differing === -1 || (latest[differing] ?? 0) < (own[differing] ?? 0))
    return [pass(`This version is the latest.`)];
  const changes = URL.canParse(textOf(page)) ? ` What is new: ${new URL(textOf(page)).href}` : '';
  return [warn(`Version ${latest.join('.')} is out; this is ${version}.`, `Make a backup, then upgrade.${changes}`)];
}

function numbersOf(version: string): readonly number[] | null {
  return versionPattern.exec(version)?.slice(1).map(Number) ?? null;
}
