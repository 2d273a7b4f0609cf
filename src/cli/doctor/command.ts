import { configWarnings } from '../../../config/describe.ts';
import { loadConfig } from '../../../config/load.ts';
import { type Config, InvalidConfigError } from '../../../config/schema.ts';
import { systemClock } from '../../platform/clock.ts';
import { parseOptions } from '../../terminal/parse-options.ts';
import { exitCode, type Terminal, UsageError, untilStopped } from '../../terminal/terminal.ts';
import { runDoctor } from './doctor.ts';
import { fail, warn } from './finding.ts';
import { exitCodeOf, jsonOf, lineOf, overallStatusOf, tidied } from './report.ts';
import type { CheckResult } from './run-checks.ts';

const help = `tallyhook doctor: checks the whole installation, also while the program runs, and names the cure of each fault

  --url URL  the address that the service delivers to, such as https://votes.example.org; it gets one unsigned delivery,
             which must be refused. Without it only this machine's own HOST and PORT are tried
  --json     one JSON object for machines: {well, findings: [{check, level: well|note|fault, found, cure}]}

It asks Discord and the service (one request for each API key, counted in its budget) and reads the whole database. It
changes nothing but one row, to prove that the database can be written.

Exit codes: 0 no fault (there may be notes), 1 a fault, 2 faulty settings or words on the command line.`;

/** `tallyhook doctor`. */
export async function doctorCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  const flag = { type: 'boolean', default: false } as const;
  const options = { help: { ...flag, short: 'h' }, json: flag, url: { type: 'string' } } as const;
  const { values } = parseOptions({ args: [...args], options });
  if (values.help) {
    terminal.print(help);
    return exitCode.ok;
  }
  const url = values.url ?? null;
  if (url !== null && !/^https?:\/\/[^/]/.test(url)) throw new UsageError('--url takes an http or https address.');

  const findings: CheckResult[] = [];
  const tell = (told: CheckResult): void => {
    findings.push(told);
    if (!values.json) terminal.print(lineOf(told));
  };
  const finish = (code: number): number => {
    terminal.print(values.json ? jsonOf(findings) : overallStatusOf(findings));
    return code;
  };

  const config = configOr(tell);
  if (config === null) return finish(exitCode.usage);
  const examination = runDoctor(config, {
    clock: systemClock,
    url,
    secretFiles: ['.env'],
    tell: (told) => tell(tidied(told, config.secrets)),
    progress: terminal.printError,
  });
  await Promise.race([examination, untilStopped(terminal.stop)]);
  if (terminal.stop.aborted) {
    terminal.printError('Stopped before everything was looked at.');
    return exitCode.runtimeError;
  }
  return finish(exitCodeOf(findings));
}

/** Null where the settings are faulty: then every fault is told, and nothing else can be checked. */
function configOr(tell: (told: CheckResult) => void): Config | null {
  try {
    return loadConfig(process.env);
  } catch (error) {
    if (!(error instanceof InvalidConfigError)) throw error;
    const warnings = configWarnings(process.env);
    for (const [judge, found] of [
      [fail, error.issues],
      [warn, warnings],
    ] as const) {
      for (const { setting, problem, hint: cure } of found)
        tell({ check: 'configuration', ...judge(`${setting} ${problem}`, cure) });
    }
    return null;
  }
}
