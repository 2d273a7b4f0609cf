import { loadConfig } from '../../../config/load.ts';
import type { Config } from '../../../config/schema.ts';
import { configWarnings } from '../../../config/warnings.ts';
import { systemClock } from '../../platform/clock.ts';
import { type CheckResult, fail, warn } from '../../platform/doctor/check.ts';
import { reportChecks } from '../../platform/doctor/report.ts';
import { InvalidConfigError } from '../../platform/invalid-config-error.ts';
import { command } from '../../platform/terminal/command.ts';
import { exitCode, UsageError } from '../../platform/terminal/terminal.ts';
import { runDoctor } from './run-doctor.ts';

const help = `tallyhook doctor: check the whole installation, also while tallyhook runs, with a hint for each problem

Usage
  tallyhook doctor [options]

Options
  --url URL   webhook URL as configured at the service, such as https://votes.example.org; the check sends an unsigned
              delivery, which must be rejected. Without it only HOST and PORT on this machine are checked
  --json      print the result as a JSON object: {pass, findings: [{check, level, message, hint}]}; level is "pass",
              "warn" or "fail", and hint may be null
  --help      print this help

It sends requests to Discord, to the service (one request for each API key, counted in its rate limit) and to GitHub, for the
latest version (UPDATE_CHECK=off: none), and reads the whole database. It writes a single row, to check that the database is writable.

Exit codes: 0 no check failed (there may be warnings), 1 a check failed, 2 invalid usage or settings.`;

/** `tallyhook doctor`. */
export const doctorCommand = command({
  help,
  options: { json: { type: 'boolean', default: false }, url: { type: 'string' } },
  async run({ values }, terminal) {
    const url = values.url ?? null;
    if (url !== null && !/^https?:\/\/[^/]/.test(url)) throw new UsageError('--url must be an http or https URL.');

    const { json } = values;
    const config = loadConfigOrIssues();
    if ('issues' in config) {
      await reportChecks(terminal, { json, secrets: [] }, async ({ onResult }) => config.issues.forEach(onResult));
      return exitCode.usage;
    }
    const options = { clock: systemClock, url, secretFiles: ['.env'] };
    return reportChecks(terminal, { json, secrets: config.secrets }, (report) =>
      runDoctor(config, { ...options, ...report }),
    );
  },
});

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
