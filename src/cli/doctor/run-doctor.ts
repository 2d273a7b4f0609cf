import { needsDiscord } from '../../../config/roles.ts';
import type { Config } from '../../../config/schema.ts';
import { sqlitePathOf } from '../../platform/database/database-url.ts';
import { pass, type RunOptions, runChecks, warn } from '../../platform/doctor/check.ts';
import { checkClock } from '../../platform/doctor/clock.ts';
import { largeFile, sizeOf } from '../../platform/doctor/database.ts';
import { checkDisk } from '../../platform/doctor/disk.ts';
import { checkFiles } from '../../platform/doctor/files.ts';
import { second } from '../../platform/durations.ts';
import { keyFilesOf } from '../../platform/encryption/encryption.ts';
import { readVersion } from '../../platform/version.ts';
import { checkAddress } from './address.ts';
import { channelsCheck } from './channels.ts';
import { databaseCheck, settingsKeyCheck } from './database.ts';
import { deliveriesCheck, outboxCheck } from './deliveries.ts';
import { discordCheck, endpointCheck, linkedRolesCheck } from './discord.ts';
import { type Installation, type InstallationCheck, openInstallation } from './installation.ts';
import { keysCheck } from './keys.ts';
import { ledgerSumsCheck, rewardsCheck } from './ledger.ts';
import { rejectedRequestsCheck } from './rejected-requests.ts';
import { checkRelease } from './release.ts';
import { repeatedListingsCheck } from './repeated-listings.ts';
import { rolesCheck } from './roles.ts';
import { evaluateRunningProgram, isFileReplaced } from './running-program.ts';
import { evaluateSecrets } from './secrets.ts';
import { evaluateSites } from './sites.ts';
import { slashCommandsCheck } from './slash-commands.ts';

/** Timeout of a request to a time source, or for the latest release (ms). */
const requestTimeoutMs = 6 * second;

/** What only a process that uses Discord or the lookup API needs. */
const discordChecks: readonly InstallationCheck[] = [
  {
    name: 'clock',
    run({ config: { discord, lookup }, clock }) {
      const sources = [
        { name: 'Discord', url: `${discord.apiUrl}/v10/gateway` },
        ...(lookup.baseUrl === '' ? [] : [{ name: 'the service', url: lookup.baseUrl }]),
      ];
      return checkClock(sources, clock, requestTimeoutMs);
    },
  },
  discordCheck,
  channelsCheck,
  rolesCheck,
  slashCommandsCheck,
  endpointCheck,
  linkedRolesCheck,
  rejectedRequestsCheck,
  keysCheck,
  repeatedListingsCheck,
];

/** In the order of the report. */
const networkChecks = (config: Config): readonly InstallationCheck[] => [
  {
    name: 'configuration',
    run: () => [
      pass('The settings are valid.'),
      ...config.warnings.map(({ setting, problem, hint }) => warn(`${setting} ${problem}`, hint)),
    ],
  },
  { name: 'version', run: () => checkRelease(config.updateCheckUrl, readVersion(), requestTimeoutMs) },
  { name: 'secrets', run: () => evaluateSecrets(config) },
  { name: 'sites', run: () => evaluateSites(config.listings) },
  ...(needsDiscord(config.roles) ? discordChecks : []),
  { name: 'address', run: ({ url }) => checkAddress(url, config.http) },
  { name: 'program', run: ({ running, status }) => evaluateRunningProgram(running, status.state) },
];

const databaseChecks: readonly InstallationCheck[] = [
  databaseCheck,
  ledgerSumsCheck,
  rewardsCheck,
  settingsKeyCheck,
  deliveriesCheck,
  outboxCheck,
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
  try {
    await runChecks({ checks: networkChecks(config), kind: 'network' }, installation, options);
    if (isFileReplaced(installation.running)) return;
    const path = sqlitePathOf(config.databaseUrl);
    if (path !== null && sizeOf(path) > largeFile) {
      onProgress(`Reading the whole database (${Math.round(sizeOf(path) / 1_000_000)} MB) …`);
    }
    await runChecks({ checks: databaseChecks, kind: 'database' }, installation, options);
  } finally {
    await installation.close();
  }
}
