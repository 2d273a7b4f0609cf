import type { Config } from '../../../config/schema.ts';
import { type BotIdentity, fetchBotIdentity } from '../../discord/inspection.ts';
import { createDiscordRest } from '../../discord/rest.ts';
import { memoryBudgetStore } from '../../lookup/budget.ts';
import { fetchProfileOfKey } from '../../lookup/key-check.ts';
import type { Clock } from '../../platform/clock.ts';
import { minute, second } from '../../platform/durations.ts';
import { sqlitePathOf } from '../../store/dialect/dialect.ts';
import { readDatabaseStatus } from '../../store/snapshots/database-status.ts';
import { openSnapshot } from '../../store/snapshots/open-snapshot.ts';
import { openStore } from '../../store/store.ts';
import { checkAddress } from './address.ts';
import { checkChannels } from './channels.ts';
import { checkClock } from './clock.ts';
import { checkCommands } from './commands.ts';
import { databaseChecks, largeFile, type OpenDatabase, sizeOf } from './database-checks.ts';
import { checkDiscord } from './discord.ts';
import { checkFiles } from './files.ts';
import { type Finding, pass, warn } from './finding.ts';
import { checkKeys } from './keys.ts';
import { type DoctorCheck, type RunOptions, runChecks } from './run-checks.ts';
import { askRunningStore, isFileReplaced, judgeProgram, type RunningStore } from './running-program.ts';
import { evaluateSecrets } from './secrets.ts';

/** How long one question to the network may take in all (ms), and one to the database, which may be large. */
const patience = { network: 12 * second, database: 15 * minute };
/** How long one answer of the service or of a clock may take (ms). */
const answerPatience = 6 * second;

export interface DoctorOptions extends Pick<RunOptions, 'clock' | 'tell' | 'progress'> {
  /** What the service is told to deliver to; null looks on this machine only. */
  readonly url: string | null;
  /** Paths of files that hold secrets. */
  readonly secretFiles: readonly string[];
}

/**
 * Examines a whole installation, beside a running program: it reads, and writes one row to prove that it could, and the requests with
 * API keys that it counts. First everything that waits for somebody else, at once; then the database, which keeps this process busy.
 */
export async function runDoctor(config: Config, examined: DoctorOptions): Promise<void> {
  const { clock, progress, secretFiles } = examined;
  const running = await askRunningStore(config.http);
  const isReplaced = isFileReplaced(running);
  const opened = isReplaced ? unopened : await openForReading(config.databaseUrl, clock);
  try {
    const outside = outsideChecks(config, examined, opened, running);
    await runChecks(outside, { ...examined, patience: patience.network });
    if (isReplaced) return;
    const path = sqlitePathOf(config.databaseUrl);
    if (path !== null && sizeOf(path) > largeFile) progress(`Reading the whole database (${megabytes(path)} MB) …`);
    const files = path === null ? secretFiles : [...secretFiles, path];
    const inside = databaseChecks(config, opened, clock.now());
    // One after the other: SQLite answers while everything else in this process stands still.
    for (const check of [...inside, { name: 'files', run: () => checkFiles(files) }]) {
      await runChecks([check], { ...examined, patience: patience.database });
    }
  } finally {
    await opened.snapshot?.close();
    await opened.store?.close();
  }
}

/** SQLite would apply the write-ahead log of the file that the program has open to the one that took its place. */
const unopened: OpenDatabase = {
  standing: { state: 'unreadable', reason: 'the running program has another file open' },
  store: null,
  snapshot: null,
};

/** Nothing is created, and a database of another version is not migrated. */
async function openForReading(url: string, clock: Clock): Promise<OpenDatabase> {
  const standing = await readDatabaseStatus(url);
  const isOurs = standing.state === 'current' || standing.state === 'older';
  return {
    standing,
    store: standing.state === 'current' ? await openStore(url, clock, { thread: false }).catch(() => null) : null,
    snapshot: isOurs ? await openSnapshot(url).catch(() => null) : null,
  };
}

function outsideChecks(
  config: Config,
  { clock, url }: DoctorOptions,
  { standing, store }: OpenDatabase,
  running: RunningStore,
): DoctorCheck[] {
  const { discord, listings, lookup } = config;
  const rest = createDiscordRest(discord);
  const identity: Promise<BotIdentity> = fetchBotIdentity(rest);
  // Whoever waits for it is told; until then nobody listens.
  identity.catch(() => {});
  const timeSources = [
    { name: 'Discord', url: `${discord.apiUrl}/v10/gateway` },
    { name: 'the service', url: lookup.baseUrl },
  ];
  // What nobody counts must not leave; where there is no database, nobody else counts either.
  const budget = store?.budgetStore ?? (standing.state === 'absent' ? memoryBudgetStore() : null);
  const baseUrl = lookup.baseUrl;
  return [
    { name: 'configuration', run: async () => judgeSettings(config) },
    { name: 'secrets', run: async () => evaluateSecrets(config) },
    { name: 'clock', run: () => checkClock(timeSources, clock, answerPatience) },
    { name: 'discord', run: () => checkDiscord(rest, identity, discord.guildId) },
    { name: 'channels', run: () => checkChannels(rest, identity, listings, clock) },
    { name: 'commands', run: () => checkCommands(rest, identity, config, store?.commandRegistry) },
    {
      name: 'keys',
      run: async () =>
        budget === null
          ? [warn('The API keys were not tried: the database cannot count the requests.', 'See to the database first.')]
          : checkKeys(listings, ({ kind }, key) =>
              fetchProfileOfKey({ kind, key, baseUrl, budget, clock, timeoutMs: answerPatience }),
            ),
    },
    { name: 'address', run: () => checkAddress(url, config.http) },
    { name: 'program', run: async () => judgeProgram(running) },
  ];
}

function judgeSettings({ warnings }: Config): Finding[] {
  const notes = warnings.map(({ setting, problem, hint: cure }) => warn(`${setting} ${problem}`, cure));
  return [pass('The settings have no fault.'), ...notes];
}

function megabytes(path: string): number {
  return Math.round(sizeOf(path) / 1_000_000);
}
