import { systemClock } from '../../../platform/clock.ts';
import { sqlitePathOf } from '../../../platform/database/database-url.ts';
import { type ClockConsequences, checkClock } from '../../../platform/doctor/clock.ts';
import { checkFiles } from '../../../platform/doctor/files.ts';
import {
  exitCodeOf,
  formatJson,
  formatResult,
  formatSummary,
  sanitizeResult,
} from '../../../platform/doctor/report.ts';
import { type CheckResult, type DoctorCheck, runChecks } from '../../../platform/doctor/run-checks.ts';
import { minute, second } from '../../../platform/durations.ts';
import { command } from '../../../platform/terminal/command.ts';
import { exitCode, type Terminal, UsageError, untilStopped } from '../../../platform/terminal/terminal.ts';
import type { DiscordApplication } from '../../discord-sign-in/discord-accounts.ts';
import { readDatabaseAddress } from '../database-address.ts';
import { readDiscordApplication } from '../discord-options.ts';
import { type ServiceValues, serviceOptions } from '../options.ts';
import { checkAddress } from './address.ts';
import { databaseChecks } from './database.ts';
import { checkSignIn, evaluateProtection } from './sign-in.ts';

const help = `tallyhook service doctor: check an installation of the service, also while it runs, with a hint for each problem

Usage
  tallyhook service doctor [options]

Options
  It takes the options of \`tallyhook service\`, and checks those that it needs:
  --database, --public-url, --production, --operator, --trust-proxy, --discord-client-id, --discord-client-secret-file
  --json   print the result as a JSON object: {pass, findings: [{check, level, message, hint}]}; level is "pass", "warn"
           or "fail", and hint may be null
  --help   print this help

It sends requests to the public URL and to Discord, reads the database (the rows of 200 listings; the whole file is checked
for damage), and writes a single row.

Exit codes: 0 no check failed (there may be warnings), 1 a check failed, 2 invalid usage.`;

/** Timeouts of a check that uses the network, and of one that reads the database, which may be large (ms). */
const checkTimeoutMs = { network: 12 * second, database: 15 * minute };
const clockTimeoutMs = 6 * second;

const clockConsequences: ClockConsequences = {
  behind: 'Votes have timestamps in the past, and cooldowns end too late.',
  ahead: 'Votes have timestamps in the future, which receivers may reject.',
};

/** `tallyhook service doctor` */
export const doctorCommand = command({
  help,
  options: serviceOptions,
  async run({ values }, terminal) {
    const publicUrl = values['public-url'];
    if (publicUrl !== undefined && !URL.canParse(publicUrl)) throw new UsageError('--public-url must be a URL.');
    const address = await readDatabaseAddress(values, terminal);
    const discord = await readDiscordApplication(values, terminal);
    const results: CheckResult[] = [];
    const secrets = [passwordOf(address), discord?.clientSecret ?? ''].filter((secret) => secret !== '');
    const options = {
      clock: systemClock,
      onProgress: terminal.printError,
      onResult(result: CheckResult) {
        const sanitized = sanitizeResult(result, secrets);
        results.push(sanitized);
        if (!values.json) terminal.print(formatResult(sanitized));
      },
    };
    const running = (async () => {
      const networkChecks = networkChecksOf(values, discord);
      await runChecks(networkChecks, { ...options, timeoutMs: checkTimeoutMs.network });
      // Sequential, because SQLite blocks this process.
      for (const check of localChecksOf(values, address)) {
        await runChecks([check], { ...options, timeoutMs: checkTimeoutMs.database });
      }
    })();
    await Promise.race([running, untilStopped(terminal.stop)]);
    if (terminal.stop.aborted) return reportStop(terminal);
    terminal.print(values.json ? formatJson(results) : formatSummary(results));
    return exitCodeOf(results);
  },
});

function networkChecksOf(values: ServiceValues, discord: DiscordApplication | undefined): DoctorCheck[] {
  const apiUrl = values['discord-api-url'] ?? 'https://discord.com/api';
  const timeSources = [{ name: 'Discord', url: `${apiUrl}/v10/gateway` }];
  return [
    { name: 'sign-in', run: () => checkSignIn({ discord, production: values.production }, apiUrl) },
    { name: 'protection', run: async () => evaluateProtection(protectionOf(values)) },
    { name: 'address', run: () => checkAddress(values['public-url']) },
    { name: 'clock', run: () => checkClock(timeSources, systemClock, clockTimeoutMs, clockConsequences) },
  ];
}

function protectionOf({ production, operator = [], 'trust-proxy': trustProxy }: ServiceValues) {
  return { production, operators: operator, trustProxy: Number(trustProxy) };
}

function localChecksOf(values: ServiceValues, address: string): DoctorCheck[] {
  const files = [sqlitePathOf(address), values['discord-client-secret-file']];
  return [
    ...databaseChecks(address, systemClock.now()),
    {
      name: 'files',
      run: () =>
        checkFiles(files.filter((file): file is string => file !== null && file !== undefined && file !== '-')),
    },
  ];
}

function reportStop(terminal: Terminal): number {
  terminal.printError('Stopped before all checks were complete.');
  return exitCode.runtimeError;
}

/** Of the address of a database server; empty without one. */
function passwordOf(address: string): string {
  return URL.canParse(address) ? decodeURIComponent(new URL(address).password) : '';
}
