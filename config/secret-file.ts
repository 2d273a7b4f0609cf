import { readFileSync, statSync } from 'node:fs';
import type { Fault } from './schema.ts';

const readableByOthers = 0o004;

/** Thrown for a file that holds secrets and that everybody on the machine may read. */
export class ReadableByAll extends Error {
  readonly mode: string;

  constructor(mode: number) {
    super('readable by all');
    this.mode = (mode & 0o777).toString(8).padStart(4, '0');
  }
}

/**
 * The text of a file that holds secrets. A group may read it, which is how Kubernetes hands a secret to a container's user (`fsGroup`);
 * all others may not. There is no exception for `/run/secrets`: Compose mounts the host's own file there, with the host's own mode.
 * Where modes mean nothing (Windows) none is asked for. Throws {@link ReadableByAll}, and what `readFileSync` throws.
 */
export function readSecretFile(path: string): string {
  if (isReadableByAll(path)) throw new ReadableByAll(statSync(path).mode);
  return readFileSync(path, 'utf8');
}

/** Throws what `statSync` throws. */
export function isReadableByAll(path: string): boolean {
  return process.platform !== 'win32' && (statSync(path).mode & readableByOthers) !== 0;
}

/** What to tell of it. `setting` is the one that names the file. */
export function readableByAll(setting: string, path: string, { mode }: ReadableByAll): Fault {
  return {
    setting,
    problem: `names a file with secrets that everybody on this machine may read (${path} has mode ${mode}).`,
    cure:
      `Run \`chmod 600 ${path}\`, as the user that tallyhook runs as or with that user as its owner. ` +
      'Where a container platform mounts it: mode 0400 and the uid of the container (1000 in ours).',
  };
}
