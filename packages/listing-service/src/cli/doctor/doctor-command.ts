import { systemClock } from '@tallyhook/platform/clock';
import { sqlitePathOf } from '@tallyhook/platform/database/database-url';
import { openDatabaseSnapshot } from '@tallyhook/platform/database/snapshots/open-snapshot';
import { type DoctorCheck, runChecks } from '@tallyhook/platform/doctor/check';
import { type ClockConsequences, checkClock } from '@tallyhook/platform/doctor/clock';
import { checkFiles } from '@tallyhook/platform/doctor/files';
import { type ReportOptions, reportChecks } from '@tallyhook/platform/doctor/report';
import { second } from '@tallyhook/platform/durations';
import { once } from '@tallyhook/platform/memoize';
import { type Terminal, UsageError } from '@tallyhook/platform/terminal/terminal';
import type { DiscordApplication } from '../../discord-sign-in/discord-accounts.ts';
import { readServiceDatabaseStatus } from '../../storage/database-format.ts';
import type { ServiceTables } from '../../storage/tables.ts';
import { readDatabaseAddress, readDiscordApplication, type StartOptions } from '../options.ts';
import { checkAddress, checkSignIn, evaluateProtection } from './address.ts';
import { databaseChecks, type ServiceDatabase } from './database.ts';

const clockTimeoutMs = 6 * second;

const clockConsequences: ClockConsequences = {
  behind: 'Votes have timestamps in the past, and cooldowns end too late.',
  ahead: 'Votes have timestamps in the future, which receivers may reject.',
};

interface Installation extends ServiceDatabase {
  readonly values: StartOptions;
  readonly discord: DiscordApplication | undefined;
  /** The API of Discord, without the version. */
  readonly apiUrl: string;
}

const networkChecks: readonly DoctorCheck<Installation>[] = [
  {
    name: 'sign-in',
    run: ({ values: { production = false }, discord, apiUrl }) => checkSignIn({ discord, production }, apiUrl),
  },
  {
    name: 'protection',
    run: ({ values: { production = false, operator = [], trustProxy } }) =>
      evaluateProtection({ production, operators: operator, trustProxy: Number(trustProxy) }),
  },
  { name: 'address', run: ({ values }) => checkAddress(values.publicUrl) },
  {
    name: 'clock',
    run({ apiUrl }) {
      const sources = [{ name: 'Discord', url: `${apiUrl}/v10/gateway` }];
      return checkClock(sources, systemClock, clockTimeoutMs, clockConsequences);
    },
  },
];

const localChecks: readonly DoctorCheck<Installation>[] = [
  ...databaseChecks,
  {
    name: 'files',
    run({ address, values }) {
      const files = [sqlitePathOf(address), values.discordClientSecretFile];
      return checkFiles(files.filter((file) => typeof file === 'string').filter((file) => file !== '-'));
    },
  },
];

/** `listing-service doctor`. */
export async function doctor(values: StartOptions, terminal: Terminal): Promise<number> {
  const { publicUrl, json = false } = values;
  if (publicUrl !== undefined && !URL.canParse(publicUrl)) throw new UsageError('--public-url must be a URL.');
  const address = await readDatabaseAddress(values, terminal);
  const discord = await readDiscordApplication(values, terminal);
  const secrets = [passwordOf(address), discord?.clientSecret ?? ''].filter((secret) => secret !== '');
  return reportChecks(terminal, { json, secrets }, (report) => runDoctor({ values, address, discord }, report));
}

async function runDoctor(
  { values, address, discord }: Pick<Installation, 'values' | 'address' | 'discord'>,
  report: ReportOptions,
): Promise<void> {
  const status = await readServiceDatabaseStatus(address);
  const openSnapshot = once(() => openDatabaseSnapshot<ServiceTables>(address));
  const snapshot = async () => (status.state === 'current' ? openSnapshot() : null);
  const apiUrl = values.discordApiUrl ?? 'https://discord.com/api';
  const installation = { values, discord, apiUrl, address, status, snapshot, now: systemClock.now };
  const options = { ...report, clock: systemClock };
  try {
    await runChecks({ checks: networkChecks, kind: 'network' }, installation, options);
    await runChecks({ checks: localChecks, kind: 'database' }, installation, options);
  } finally {
    const opened = await snapshot().catch(() => null);
    await opened?.close();
  }
}

/** The password in the address of a database server; empty without one. */
function passwordOf(address: string): string {
  return URL.canParse(address) ? decodeURIComponent(new URL(address).password) : '';
}
