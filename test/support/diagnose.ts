import { systemClock } from '@tallyhook/platform/clock';
import type { CheckResult } from '@tallyhook/platform/doctor/check';
import { formatResult, sanitizeResult } from '@tallyhook/platform/doctor/report';
import { loadConfig } from '../../config/load.ts';
import { type DoctorOptions, runDoctor } from '../../src/cli/doctor/doctor-command.ts';

/** Runs the doctor on an installation with these settings. */
export async function diagnose(environment: Record<string, string>, changes: Partial<DoctorOptions> = {}) {
  const config = loadConfig({ UPDATE_CHECK: 'off', ...environment });
  const results: CheckResult[] = [];
  const progress: string[] = [];
  await runDoctor(config, {
    clock: systemClock,
    url: null,
    secretFiles: [],
    onResult: (result) => void results.push(sanitizeResult(result, config.secrets)),
    onProgress: (line) => void progress.push(line),
    ...changes,
  });
  /** The findings of one check, as `level: message`. */
  const findingsOf = (check: string) =>
    results.filter((result) => result.check === check).map(({ level, message }) => `${level}: ${message}`);
  return { results, findingsOf, progress, text: results.map(formatResult).join('\n') };
}
