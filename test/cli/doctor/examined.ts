import { loadConfig } from '../../../config/load.ts';
import { type DoctorOptions, runDoctor } from '../../../src/cli/doctor/doctor.ts';
import { lineOf, tidied } from '../../../src/cli/doctor/report.ts';
import type { CheckResult } from '../../../src/cli/doctor/run-checks.ts';
import { systemClock } from '../../../src/platform/clock.ts';

/** What the doctor says about an installation with these settings. */
export async function examined(environment: Record<string, string>, changes: Partial<DoctorOptions> = {}) {
  const config = loadConfig(environment);
  const told: CheckResult[] = [];
  const progress: string[] = [];
  await runDoctor(config, {
    clock: systemClock,
    url: null,
    secretFiles: [],
    tell: (finding) => void told.push(tidied(finding, config.secrets)),
    progress: (line) => void progress.push(line),
    ...changes,
  });
  /** One check's findings, as `mark text`. */
  const said = (check: string) =>
    told.filter((each) => each.check === check).map(({ level, message: found }) => `${level}: ${found}`);
  return { told, said, progress, text: told.map(lineOf).join('\n') };
}
