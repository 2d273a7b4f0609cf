import { statSync } from 'node:fs';
import type { ConfigIssue } from './schema.ts';

const others = { read: 0o004, write: 0o002 };

/**
 * Whether every user of this machine may read the file. Docker Swarm mounts secrets with mode 0444 and Kubernetes with 0644, into a
 * container that has no other users: this is worth a warning and no more. Modes mean nothing on Windows. Throws what `statSync` throws.
 */
export function isWorldReadable(path: string): boolean {
  return hasMode(path, others.read);
}

/**
 * Whether every user of this machine may write the file, and so decide what is trusted here. A group may: Kubernetes gives volumes to the
 * group of the container (`fsGroup`). Throws what `statSync` throws.
 */
export function isWorldWritable(path: string): boolean {
  return hasMode(path, others.write);
}

function hasMode(path: string, bit: number): boolean {
  return process.platform !== 'win32' && (statSync(path).mode & bit) !== 0;
}

/** The fault of such a file. `setting` names it. Throws what `statSync` throws. */
export function worldWritable(setting: string, path: string): ConfigIssue {
  return {
    setting,
    problem: `names a file that every user of this machine may write (${path} has mode ${modeOf(path)}).`,
    hint: `Run \`chmod 600 ${path}\`, and check that its content is what you put there.`,
  };
}

/** The permissions as `chmod` takes them. Throws what `statSync` throws. */
export function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8).padStart(4, '0');
}
