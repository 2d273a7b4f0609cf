import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Finding, pass, warn } from './finding.ts';

const others = { read: 0o004, enter: 0o001 };

/** Can others on this machine read what holds secrets, or the votes and credits? Files that are not there are left out. */
export async function checkFiles(paths: readonly string[]): Promise<Finding[]> {
  const open = await Promise.all(paths.map(async (path) => ((await isOpen(path)) ? [path] : [])));
  return evaluateFiles(open.flat());
}

async function isOpen(path: string): Promise<boolean> {
  const file = await modeOf(path);
  const folder = await modeOf(dirname(path));
  return (file & others.read) !== 0 && (folder & others.enter) !== 0;
}

async function modeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ mode }) => mode,
    () => 0,
  );
}

/** `open`: paths of files that every user of the machine can read. */
export function evaluateFiles(open: readonly string[]): Finding[] {
  if (open.length === 0) return [pass('Other users of this machine can read neither the secrets nor the database.')];
  return [warn(`Every user of this machine can read: ${open.join(', ')}.`, `Run: chmod o-rwx ${open.join(' ')}`)];
}
