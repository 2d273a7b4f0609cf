import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Finding, fail, pass, warn } from './finding.ts';

const mega = 1_000_000;
/** Bytes, both of them. */
const low = 1_000 * mega;
const full = 100 * mega;

/** The room on the disk of a SQLite file; a server looks after its own. */
export async function checkDisk(path: string): Promise<Finding[]> {
  const { bavail, bsize } = await statfs(dirname(path));
  return [evaluateDiskSpace(bavail * bsize)];
}

/** `left`: bytes that this user may still write. */
export function evaluateDiskSpace(left: number): Finding {
  const found = `The disk of the database has ${inWords(left)} left.`;
  const cure = 'Make room: with a full disk every delivery is refused with 503 until there is some.';
  if (left < full) return fail(found, cure);
  return left < low ? warn(found, cure) : pass(found);
}

function inWords(bytes: number): string {
  return bytes < low ? `${Math.floor(bytes / mega)} MB` : `${(bytes / low).toFixed(1)} GB`;
}
