import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Finding, pass, warn } from './check.ts';

/** Mode bits of all users other than the owner and the group. */
const otherUsers = { read: 0o004, traverse: 0o001 };

/** Checks whether other users of this machine can read the secrets or the database. Missing files are skipped. */
export async function checkFiles(paths: readonly string[]): Promise<Finding[]> {
  const found = await Promise.all(paths.map(async (path) => ((await isExposed(path)) ? [path] : [])));
  const exposed = found.flat();
  return exposed.length === 0
    ? [pass('Other users of this machine cannot read the secrets or the database.')]
    : [warn(`Every user of this machine can read ${exposed.join(', ')}.`, `Run: chmod o-rwx ${exposed.join(' ')}`)];
}

async function isExposed(path: string): Promise<boolean> {
  const fileMode = await modeOf(path);
  const directoryMode = await modeOf(dirname(path));
  return (fileMode & otherUsers.read) !== 0 && (directoryMode & otherUsers.traverse) !== 0;
}

/** 0 if the file is missing. */
async function modeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ mode }) => mode,
    () => 0,
  );
}
