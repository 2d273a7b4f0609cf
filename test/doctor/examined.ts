import { loadConfig } from '../../config/load.ts';
import { systemClock } from '../../src/clock.ts';
import { type Examined, examineAll } from '../../src/doctor/doctor.ts';
import type { Told } from '../../src/doctor/examine.ts';
import { lineOf, tidied } from '../../src/doctor/report.ts';

/** What the doctor says about an installation with these settings. */
export async function examined(environment: Record<string, string>, changes: Partial<Examined> = {}) {
  const config = loadConfig(environment);
  const told: Told[] = [];
  const progress: string[] = [];
  await examineAll(config, {
    clock: systemClock,
    url: null,
    secretFiles: [],
    tell: (finding) => void told.push(tidied(finding, config.secrets)),
    progress: (line) => void progress.push(line),
    ...changes,
  });
  /** One check's findings, as `mark text`. */
  const said = (check: string) =>
    told.filter((each) => each.check === check).map(({ level, found }) => `${level}: ${found}`);
  return { told, said, progress, text: told.map(lineOf).join('\n') };
}
