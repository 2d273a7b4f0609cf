import { needsDiscord } from '../../../config/roles.ts';
import type { Config } from '../../../config/schema.ts';
import { readDatabaseStatus } from '../../core/store/snapshots/database-status.ts';
import { openSnapshot } from '../../core/store/snapshots/open-snapshot.ts';
import { type BotIdentity, fetchBotIdentity } from '../../discord/inspection.ts';
import { createDiscordRest } from '../../discord/rest.ts';
import { publishedLinkedRoles } from '../../features/linked-roles/create.ts';
import { openStore } from '../../features/store.ts';
import { memoryBudgetStore } from '../../lookup/budget.ts';
import { fetchProfileOfKey } from '../../lookup/key-check.ts';
import type { Clock } from '../../platform/clock.ts';
import { sqlitePathOf } from '../../platform/database/database-url.ts';
import { checkClock } from '../../platform/doctor/clock.ts';
import { checkFiles } from '../../platform/doctor/files.ts';
import { type Finding, pass, warn } from '../../platform/doctor/finding.ts';
import { type DoctorCheck, type RunOptions, runChecks } from '../../platform/doctor/run-checks.ts';
import { minute, second } from '../../platform/durations.ts';
import { keyFilesOf } from '../../platform/encryption/encryption.ts';
import { checkAddress } from './address.ts';
import { checkChannels } from './channels.ts';
import { checkCommandsEndpoint } from './commands-endpoint.ts';
import { databaseChecks, largeFile, type OpenDatabase, sizeOf } from './database-checks.ts';
import { checkDiscord } from './discord.ts';
import { checkKeys } from './keys.ts';
import { checkLinkedRoles } from './linked-roles.ts';
import { checkRejectedRequests } from './rejected-requests.ts';
import { checkRepeatedListings } from './repeated-listings.ts';
import { checkRoles, rolesByGuild } from './roles.ts';
import { evaluateRunningProgram, fetchStoreState, isFileReplaced, type RunningStoreState } from './running-program.ts';
import { evaluateSecrets } from './secrets.ts';
import { checkSlashCommands } from './slash-commands.ts';

/** Timeouts of a check that uses the network, and of one that reads the database, which may be large (ms). */
const checkTimeoutMs = { network: 12 * second, database: 15 * minute };
/** Timeout of a single request to the service or to a time source (ms). */
const requestTimeoutMs = 6 * second;

export interface DoctorOptions extends Pick<RunOptions, 'clock' | 'onResult' | 'onProgress'> {
  /** Webhook URL as configured at the service; null checks this machine only. */
  readonly url: string | null;
  /** Paths of files that contain secrets. */
  readonly secretFiles: readonly string[];
}

/**
 * Checks a whole installation, also while tallyhook runs. It only reads, except for one row that tests write access,
 * and the counted requests with API keys. Network checks run first and concurrently, then the database checks, which
 * block this process.
 */
export async function runDoctor(config: Config, options: DoctorOptions): Promise<void> {
  const { clock, onProgress, secretFiles } = options;
  const storeState = await fetchStoreState(config.http);
  const isReplaced = isFileReplaced(storeState);
  const database = isReplaced ? unopenedDatabase : await openForReading(config.databaseUrl, clock);
  try {
    const checks = networkChecks(config, options, database, storeState);
    await runChecks(checks, { ...options, timeoutMs: checkTimeoutMs.network });
    if (isReplaced) return;
    const path = sqlitePathOf(config.databaseUrl);
    if (path !== null && sizeOf(path) > largeFile) {
      onProgress(`Reading the whole database (${Math.round(sizeOf(path) / 1_000_000)} MB) …`);
    }
    const ownFiles = [path, sqlitePathOf(config.cacheUrl), ...keyFilesOf(config.encryption)];
    const files = [...secretFiles, ...ownFiles.filter((file) => file !== null)];
    const localChecks = [
      ...databaseChecks(config, database, clock.now()),
      { name: 'files', run: () => checkFiles(files) },
    ];
    // Sequential, because SQLite blocks this process.
    for (const check of localChecks) await runChecks([check], { ...options, timeoutMs: checkTimeoutMs.database });
  } finally {
    await database.snapshot?.close();
    await database.store?.close();
  }
}

/** Opening the file would make SQLite apply the write-ahead log of the replaced file to the new one. */
const unopenedDatabase: OpenDatabase = {
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

function networkChecks(
  config: Config,
  { clock, url }: DoctorOptions,
  { status, store }: OpenDatabase,
  storeState: RunningStoreState,
): DoctorCheck[] {
  const { discord, listings, lookup } = config;
  const linkedRoles = publishedLinkedRoles(config);
  const rest = createDiscordRest(discord);
  const identity: Promise<BotIdentity> = needsDiscord(config.roles)
    ? fetchBotIdentity(rest)
    : Promise.reject(new Error('This process does not use Discord.'));
  // Each check that awaits it handles the error; this prevents an unhandled rejection before that.
  identity.catch(() => {});
  const timeSources = [
    { name: 'Discord', url: `${discord.apiUrl}/v10/gateway` },
    { name: 'the service', url: lookup.baseUrl },
  ];
  // Requests must be counted in the budget of the database. Without a database there is no other process that counts
  // them.
  const budget = store?.budgetStore ?? (status.state === 'absent' ? memoryBudgetStore() : null);
  /** Discord ids of listings by name, as the service says them. */
  const ids = new Map<string, string>();
  const checkApiKeys = async (): Promise<Finding[]> => {
    if (budget === null) {
      const message = 'The API keys were not checked, because the database cannot count the requests.';
      return [warn(message, 'Fix the database first.')];
    }
    return checkKeys(listings, async ({ name, kind }, key) => {
      const options = { kind, key, baseUrl: lookup.baseUrl, budget, clock, timeoutMs: requestTimeoutMs };
      const profile = await fetchProfileOfKey(options);
      if (profile.id !== null) ids.set(name, profile.id);
      return profile;
    });
  };
  const checkedKeys = memoizeOnce(checkApiKeys);
  const checks = [
    { name: 'configuration', run: async () => evaluateConfig(config) },
    { name: 'secrets', run: async () => evaluateSecrets(config) },
    { name: 'address', run: () => checkAddress(url, config.http) },
    { name: 'program', run: async () => evaluateRunningProgram(storeState) },
  ];
  // A process that only receives needs neither a token nor the lookup API.
  if (!needsDiscord(config.roles)) return checks;
  return [
    ...checks.slice(0, 2),
    { name: 'clock', run: () => checkClock(timeSources, clock, requestTimeoutMs) },
    { name: 'discord', run: () => checkDiscord(rest, identity, discord.guildId) },
    { name: 'channels', run: () => checkChannels(rest, identity, listings, clock) },
    ...(rolesByGuild(listings).size === 0 ? [] : [{ name: 'roles', run: () => checkRoles(rest, identity, listings) }]),
    { name: 'commands', run: () => checkSlashCommands(rest, identity, config, store?.commandRegistry) },
    { name: 'endpoint', run: () => checkCommandsEndpoint(rest, identity, config) },
    ...(linkedRoles === undefined
      ? []
      : [{ name: 'linked-roles', run: () => checkLinkedRoles(rest, identity, linkedRoles) }]),
    ...(store === null ? [] : [{ name: 'requests', run: () => checkRejectedRequests(store, clock.now()) }]),
    { name: 'keys', run: checkedKeys },
    ...(store === null
      ? []
      : [
          {
            name: 'listings',
            async run() {
              await checkedKeys();
              return checkRepeatedListings(config, store.settings, ids);
            },
          },
        ]),
    ...checks.slice(2),
  ];
}

function memoizeOnce<Result>(run: () => Promise<Result>): () => Promise<Result> {
  let result: Promise<Result> | undefined;
  return () => {
    result ??= run();
    return result;
  };
}

function evaluateConfig({ warnings }: Config): Finding[] {
  return [
    pass('The settings are valid.'),
    ...warnings.map(({ setting, problem, hint }) => warn(`${setting} ${problem}`, hint)),
  ];
}
