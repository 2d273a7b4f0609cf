import { configWarnings } from '../../config/describe.ts';
import { loadConfig } from '../../config/load.ts';
import { type Config, FaultyConfig } from '../../config/schema.ts';
import { systemClock } from '../clock.ts';
import { parseOptions } from '../terminal/parse-options.ts';
import { exit, stopped, type Terminal, UsageError } from '../terminal/terminal.ts';
import { examineAll } from './doctor.ts';
import type { Told } from './examine.ts';
import { fault, note } from './finding.ts';
import { exitCodeOf, jsonOf, lineOf, tidied, verdictOf } from './report.ts';

const help = `tallyhook doctor: checks the whole installation, also while the program runs, and names the cure of each fault

  --url URL  the address that the service delivers to, such as https://votes.example.org; it gets one unsigned delivery,
             which must be refused. Without it only this machine's own HOST and PORT are tried
  --json     one JSON object for machines: {well, findings: [{check, level: well|note|fault, found, cure}]}

It asks Discord and the service (one request for each API key, counted in its budget) and reads the whole database. It
changes nothing but one row, to prove that the database can be written.

Exit codes: 0 no fault (there may be notes), 1 a fault, 2 faulty settings or words on the command line.`;

/** `tallyhook doctor`. */
export async function doctor(args: readonly string[], terminal: Terminal): Promise<number> {
  const flag = { type: 'boolean', default: false } as const;
  const options = { help: { ...flag, short: 'h' }, json: flag, url: { type: 'string' } } as const;
  const { values } = parseOptions({ args: [...args], options });
  if (values.help) {
    terminal.print(help);
    return exit.fine;
  }
  const url = values.url ?? null;
  if (url !== null && !/^https?:\/\/[^/]/.test(url)) throw new UsageError('--url takes an http or https address.');

  const findings: Told[] = [];
  const tell = (told: Told): void => {
    findings.push(told);
    if (!values.json) terminal.print(lineOf(told));
  };
  const finish = (code: number): number => {
    terminal.print(values.json ? jsonOf(findings) : verdictOf(findings));
    return code;
  };

  const config = configOr(tell);
  if (config === null) return finish(exit.usage);
  const examination = examineAll(config, {
    clock: systemClock,
    url,
    secretFiles: ['.env'],
    tell: (told) => tell(tidied(told, config.secrets)),
    progress: terminal.complain,
  });
  await Promise.race([examination, stopped(terminal.stop)]);
  if (terminal.stop.aborted) {
    terminal.complain('Stopped before everything was looked at.');
    return exit.fault;
  }
  return finish(exitCodeOf(findings));
}

/** Null where the settings are faulty: then every fault is told, and nothing else can be checked. */
function configOr(tell: (told: Told) => void): Config | null {
  try {
    return loadConfig(process.env);
  } catch (error) {
    if (!(error instanceof FaultyConfig)) throw error;
    const warnings = configWarnings(process.env);
    for (const [judge, found] of [
      [fault, error.faults],
      [note, warnings],
    ] as const) {
      for (const { setting, problem, cure } of found)
        tell({ check: 'configuration', ...judge(`${setting} ${problem}`, cure) });
    }
    return null;
  }
}
