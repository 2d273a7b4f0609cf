import { loadConfig } from '../../../config/load.ts';
import type { Config } from '../../../config/schema.ts';
import { configWarnings } from '../../../config/warnings.ts';
import { systemClock } from '../../platform/clock.ts';
import { fail, warn } from '../../platform/doctor/finding.ts';
import { exitCodeOf, formatJson, formatResult, formatSummary, sanitizeResult } from '../../platform/doctor/report.ts';
import type { CheckResult } from '../../platform/doctor/run-checks.ts';
import { InvalidConfigError } from '../../platform/invalid-config-error.ts';
import { command } from '../../platform/terminal/command.ts';
import { exitCode, UsageError, untilStopped } from '../../platform/terminal/terminal.ts';
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

It sends requests to Discord and to the service (one request for each API key, counted in its rate limit) and reads the
whole database. It writes a single row, to check that the database is writable.

Exit codes: 0 no check failed (there may be warnings), 1 a check failed, 2 invalid usage or settings.`;

/** `tallyhook doctor`. */
export const doctorCommand = command({
  help,
  options: { json: { type: 'boolean', default: false }, url: { type: 'string' } },
  async run({ values }, terminal) {
    const url = values.url ?? null;
    if (url !== null && !/^https?:\/\/[^/]/.test(url)) throw new UsageError('--url must be an http or https URL.');

    const results: CheckResult[] = [];
    const report = (result: CheckResult): void => {
      results.push(result);
      if (!values.json) terminal.print(formatResult(result));
    };
    const finish = (code: number): number => {
      terminal.print(values.json ? formatJson(results) : formatSummary(results));
      return code;
    };

    const config = loadConfigOrReport(report);
    if (config === null) return finish(exitCode.usage);
    const running = runDoctor(config, {
      clock: systemClock,
      url,
      secretFiles: ['.env'],
      onResult: (result) => report(sanitizeResult(result, config.secrets)),
      onProgress: terminal.printError,
    });
    await Promise.race([running, untilStopped(terminal.stop)]);
    if (terminal.stop.aborted) {
      terminal.printError('Stopped before all checks were complete.');
      return exitCode.runtimeError;
    }
    return finish(exitCodeOf(results));
  },
});

/** Null if the configuration is invalid. Then its issues and warnings are reported, and no other check can run. */
function loadConfigOrReport(report: (result: CheckResult) => void): Config | null {
  try {
    return loadConfig(process.env);
  } catch (error) {
    if (!(error instanceof InvalidConfigError)) throw error;
    const check = 'configuration';
    for (const { setting, problem, hint } of error.issues) report({ check, ...fail(`${setting} ${problem}`, hint) });
    for (const { setting, problem, hint } of configWarnings(process.env)) {
      report({ check, ...warn(`${setting} ${problem}`, hint) });
    }
    return null;
  }
}
