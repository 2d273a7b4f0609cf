import { systemClock } from '@tallyhook/platform/clock';
import { sqlitePathOf } from '@tallyhook/platform/database/database-url';
import { type CheckResult, fail, pass, type RunOptions, runChecks, warn } from '@tallyhook/platform/doctor/check';
import { checkClock } from '@tallyhook/platform/doctor/clock';
import { largeFile, sizeOf } from '@tallyhook/platform/doctor/database';
import { checkDisk } from '@tallyhook/platform/doctor/disk';
import { checkFiles } from '@tallyhook/platform/doctor/files';
import { reportChecks, sanitizeResult } from '@tallyhook/platform/doctor/report';
import { second } from '@tallyhook/platform/durations';
import { keyFilesOf } from '@tallyhook/platform/encryption/encryption';
import { InvalidConfigError } from '@tallyhook/platform/invalid-config-error';
import { exitCode, type Terminal, UsageError } from '@tallyhook/platform/terminal/terminal';
import { readVersion } from '@tallyhook/platform/version';
import { loadConfig } from '../../../config/load.ts';
import type { Config } from '../../../config/schema.ts';
import { needsDiscord } from '../../../config/settings.ts';
import { configWarnings } from '../../../config/warnings.ts';
import { publicationsOf } from '../../features/create.ts';
import type { Publication } from '../../features/parts.ts';
import { checkAddress } from './address.ts';
import {
  databaseCheck,
  deliveriesCheck,
  ledgerSumsCheck,
  originsCheck,
  outboxCheck,
  rewardsCheck,
  settingsKeyCheck,
  webhooksCheck,
} from './database.ts';
import {
  channelsCheck,
  discordCheck,
  endpointCheck,
  publicationCheck,
  rejectedRequestsCheck,
  rolesCheck,
  slashCommandsCheck,
} from './discord.ts';
import {
  checkRelease,
  evaluateRunningProgram,
  type Installation,
  type InstallationCheck,
  isFileReplaced,
  openInstallation,
} from './installation.ts';
import { evaluateSecrets, evaluateSites, keysCheck, listingsCheck } from './listings.ts';

export async function doctor(
  { url = null, json = false }: { url?: string | null; json?: boolean },
  terminal: Terminal,
): Promise<number> {
  if (url !== null && !/^https?:\/\/[^/]/.test(url)) throw new UsageError('--url must be an http or https URL.');

  const config = loadConfigOrIssues();
  if ('issues' in config) {
    await reportChecks(terminal, { json, secrets: [] }, async ({ onResult }) => config.issues.forEach(onResult));
    return exitCode.usage;
  }
  const options = { clock: systemClock, url, secretFiles: ['.env'] };
  return reportChecks(terminal, { json, secrets: config.secrets }, (report) =>
    runDoctor(config, { ...options, ...report }),
  );
}

/** The settings; or their issues and warnings if they are invalid, as no other check can run. */
function loadConfigOrIssues(): Config | { readonly issues: readonly CheckResult[] } {
  try {
    return loadConfig(process.env);
  } catch (error) {
    if (!(error instanceof InvalidConfigError)) throw error;
    const issues = error.issues.map(({ setting, problem, hint }) => fail(`${setting} ${problem}`, hint));
    const warnings = configWarnings(process.env).map(({ setting, problem, hint }) =>
      warn(`${setting} ${problem}`, hint),
    );
    return { issues: [...issues, ...warnings].map((finding) => ({ ...finding, check: 'configuration' })) };
  }
}

const requestTimeoutMs = 6 * second;

/** Checks for a process that uses Discord or the lookup API. */
const discordChecks = (publications: readonly Publication[]): readonly InstallationCheck[] => [
  discordCheck,
  channelsCheck,
  rolesCheck,
  slashCommandsCheck,
  endpointCheck,
  ...publications.map(publicationCheck),
  rejectedRequestsCheck,
  keysCheck,
];

const networkChecks = (config: Config, publications: readonly Publication[]): readonly InstallationCheck[] => [
  {
    name: 'configuration',
    run: () => [
      pass('The settings are valid.'),
      ...config.warnings.map(({ setting, problem, hint }) => warn(`${setting} ${problem}`, hint)),
    ],
  },
  { name: 'version', run: () => checkRelease(config.updateCheckUrl, readVersion(), requestTimeoutMs) },
  { name: 'secrets', run: ({ effective: { listings } }) => evaluateSecrets({ ...config, listings }) },
  { name: 'sites', run: ({ effective: { listings } }) => evaluateSites(listings) },
  {
    name: 'clock',
    run({ clock }) {
      const { discord, lookup } = config;
      const sources = [
        { name: 'Discord', url: `${discord.apiUrl}/v10/gateway` },
        ...(lookup.baseUrl === '' ? [] : [{ name: 'the service', url: lookup.baseUrl }]),
      ];
      return checkClock(sources, clock, requestTimeoutMs);
    },
  },
  ...(needsDiscord(config.roles) ? discordChecks(publications) : []),
  {
    name: 'address',
    run: ({ url, listings, clock }) => checkAddress(url, { ...config, listings, now: clock.now() }),
  },
  { name: 'program', run: ({ running, status }) => evaluateRunningProgram(running, status.state) },
];

const databaseChecks: readonly InstallationCheck[] = [
  listingsCheck,
  databaseCheck,
  ledgerSumsCheck,
  rewardsCheck,
  settingsKeyCheck,
  deliveriesCheck,
  originsCheck,
  outboxCheck,
  webhooksCheck,
  {
    name: 'disk',
    run({ config }) {
      const path = sqlitePathOf(config.databaseUrl);
      return path === null ? [] : checkDisk(path);
    },
  },
  {
    name: 'files',
    run({ config, secretFiles }) {
      const { databaseUrl, cacheUrl, encryption } = config;
      const ownFiles = [sqlitePathOf(databaseUrl), sqlitePathOf(cacheUrl), ...keyFilesOf(encryption)];
      return checkFiles([...secretFiles, ...ownFiles.filter((file) => file !== null)]);
    },
  },
];

export type DoctorOptions = RunOptions & Pick<Installation, 'url' | 'secretFiles'>;

/**
 * Checks a whole installation, also while tallyhook runs. It only reads, except for one row that tests write access,
 * and the counted requests with API keys. Network checks run first and concurrently, then the database checks, which
 * block this process.
 */
export async function runDoctor(config: Config, options: DoctorOptions): Promise<void> {
  const { clock, url, secretFiles, onProgress } = options;
  const installation = await openInstallation(config, { clock, url, secretFiles });
  const { secrets } = installation.effective;
  const runOptions = {
    ...options,
    onResult: (result: CheckResult) => options.onResult(sanitizeResult(result, secrets)),
  };
  try {
    const checks = networkChecks(config, await publicationsOf(config));
    await runChecks({ checks, kind: 'network' }, installation, runOptions);
    if (isFileReplaced(installation.running)) return;
    const path = sqlitePathOf(config.databaseUrl);
    if (path !== null && sizeOf(path) > largeFile) {
      onProgress(`Reading the whole database (${Math.round(sizeOf(path) / 1_000_000)} MB) …`);
    }
    await runChecks({ checks: databaseChecks, kind: 'database' }, installation, runOptions);
  } finally {
    await installation.close();
  }
}
