import type { StatsFs } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { codeOf } from '../errors.ts';
import { type Finding, fail, pass, warn } from './check.ts';

const megabyte = 1_000_000;
const gigabyte = 1_000 * megabyte;
/** Free space below which the check warns or fails (bytes). */
const minFreeSpace = { warn: gigabyte, fail: 100 * megabyte };

/** Checks the free space on the disk of a SQLite file. */
export async function checkDisk(path: string, consequence?: string): Promise<Finding[]> {
  const { bavail, bsize } = await statfsOf(dirname(resolve(path)));
  return [evaluateDiskSpace(bavail * bsize, consequence)];
}

/** The file system of the folder, or of the one in which the first start creates it. */
async function statfsOf(folder: string): Promise<StatsFs> {
  try {
    return await statfs(folder);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' || folder === dirname(folder)) throw error;
    return statfsOf(dirname(folder));
  }
}

/** @param free bytes that this user can still write @param consequence of a full disk */
export function evaluateDiskSpace(free: number, consequence = 'every delivery is rejected with 503'): Finding {
  const message = `The disk of the database has ${formatBytes(free)} of free space.`;
  const hint = `Free some space: while the disk is full, ${consequence}.`;
  if (free < minFreeSpace.fail) return fail(message, hint);
  return free < minFreeSpace.warn ? warn(message, hint) : pass(message);
}

function formatBytes(bytes: number): string {
  return bytes < gigabyte ? `${Math.floor(bytes / megabyte)} MB` : `${(bytes / gigabyte).toFixed(1)} GB`;
}
