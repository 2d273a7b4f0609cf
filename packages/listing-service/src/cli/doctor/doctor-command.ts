import { systemClock } from '@tallyhook/platform/clock';
import { sqlitePathOf } from '@tallyhook/platform/database/database-url';
import { openDatabaseSnapshot } from '@tallyhook/platform/database/snapshots/open-snapshot';
import { type DoctorCheck, runChecks } from '@tallyhook/platform/doctor/check';
import { type ClockConsequences, checkClock } from '@tallyhook/platform/doctor/clock';
import { checkFiles } from '@tallyhook/platform/doctor/files';
import { type ReportOptions, reportChecks } from '@tallyhook/platform/doctor/report';
import { second } from '@tallyhook/platform/durations';
import { once } from '@tallyhook/platform/memoize';
import { command } from '@tallyhook/platform/terminal/command';
import { UsageError } from '@tallyhook/platform/terminal/terminal';
import type { DiscordApplication } from '../../discord-sign-in/discord-accounts.ts';
import { readServiceDatabaseStatus } from '../../storage/database-format.ts';
import type { ServiceTables } from '../../storage/tables.ts';
import { readDatabaseAddress, readDiscordApplication, type ServiceValues, serviceOptions } from '../options.ts';
import { checkAddress, checkSignIn, evaluateProtection } from './address.ts';
import { databaseChecks, type ServiceDatabase } from './database.ts';

const help = `listing-service doctor: check an installation of the service, also while it runs, with a hint for each problem

Usage
  listing-service doctor [options]

Options
  It takes the options of \`listing-service\`, and checks those that it needs:
  --database, --public-url, --production, --operator, --trust-proxy, --discord-client-id, --discord-client-secret-file
  --json   print the result as a JSON object: {pass, findings: [{check, level, message, hint}]}; level is "pass", "warn"
           or "fail", and hint may be null
  --help   print this help

It sends requests to the public URL and to Discord, reads the database (the rows of 200 listings; the whole file is checked
for damage), and writes a single row.

Exit codes: 0 no check failed (there may be warnings), 1 a check failed, 2 invalid usage.`;

const clockTimeoutMs = 6 * second;

const clockConsequences: ClockConsequences = {
  behind: 'Votes have timestamps in the past, and cooldowns end too late.',
  ahead: 'Votes have timestamps in the future, which receivers may reject.',
};

interface Installation extends ServiceDatabase {
  readonly values: ServiceValues;
  readonly discord: DiscordApplication | undefined;
  /** The API of Discord, without the version. */
  readonly apiUrl: string;
}

const networkChecks: readonly DoctorCheck<Installation>[] = [
  {
    name: 'sign-in',
    run: ({ values: { production }, discord, apiUrl }) => checkSignIn({ discord, production }, apiUrl),
  },
  {
    name: 'protection',
    run: ({ values: { production, operator = [], 'trust-proxy': trustProxy } }) =>
      evaluateProtection({ production, operators: operator, trustProxy: Number(trustProxy) }),
  },
  { name: 'address', run: ({ values }) => checkAddress(values['public-url']) },
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
      const files = [sqlitePathOf(address), values['discord-client-secret-file']];
      return checkFiles(files.filter((file) => typeof file === 'string').filter((file) => file !== '-'));
    },
  },
];

export const doctorCommand = command({
  help,
  options: serviceOptions,
  async run({ values }, terminal) {
    const publicUrl = values['public-url'];
    if (publicUrl !== undefined && !URL.canParse(publicUrl)) throw new UsageError('--public-url must be a URL.');
    const address = await readDatabaseAddress(values, terminal);
    const discord = await readDiscordApplication(values, terminal);
    const secrets = [passwordOf(address), discord?.clientSecret ?? ''].filter((secret) => secret !== '');
    return reportChecks(terminal, { json: values.json, secrets }, (report) =>
      runDoctor({ values, address, discord }, report),
    );
  },
});

async function runDoctor(
  { values, address, discord }: Pick<Installation, 'values' | 'address' | 'discord'>,
  report: ReportOptions,
): Promise<void> {
  const status = await readServiceDatabaseStatus(address);
  const openSnapshot = once(() => openDatabaseSnapshot<ServiceTables>(address));
  const snapshot = async () => (status.state === 'current' ? openSnapshot() : null);
  const apiUrl = values['discord-api-url'] ?? 'https://discord.com/api';
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

/** Of the address of a database server; empty without one. */
function passwordOf(address: string): string {
  return URL.canParse(address) ? decodeURIComponent(new URL(address).password) : '';
}
