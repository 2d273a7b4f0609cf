import { statSync } from 'node:fs';
import type { Fault } from './schema.ts';

const readableByOthers = 0o004;

/**
 * Whether everybody on this machine may read the file. A group may read a secret, which is how Kubernetes hands one to a container's
 * user (`fsGroup`); all others may not. There is no exception for `/run/secrets`: Compose mounts the host's own file there, with the
 * host's own mode. Where modes mean nothing (Windows) none is asked for. Throws what `statSync` throws.
 */
export function isReadableByAll(path: string): boolean {
  return process.platform !== 'win32' && (statSync(path).mode & readableByOthers) !== 0;
}

/** What to tell of such a file where it holds a secret. `setting` names it. Throws what `statSync` throws. */
export function readableByAll(setting: string, path: string): Fault {
  const mode = (statSync(path).mode & 0o777).toString(8).padStart(4, '0');
  return {
    setting,
    problem: `names a file with secrets that everybody on this machine may read (${path} has mode ${mode}).`,
    cure:
      `Run \`chmod 600 ${path}\`, as the user that tallyhook runs as or with that user as its owner. ` +
      'Where a container platform mounts it: mode 0400 and the uid of the container (1000 in ours).',
  };
}
