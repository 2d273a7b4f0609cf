import { createLog } from '../src/log.ts';

/** A log whose lines are collected in `logged`. */
export function collectingLog(secrets: readonly string[] = []) {
  const logged: { level: number; msg: string; [field: string]: unknown }[] = [];
  const log = createLog({
    level: 'debug',
    secrets,
    destination: { write: (line: string) => logged.push(JSON.parse(line)) },
  });
  return { log, logged };
}
