import { statSync } from 'node:fs';
import type { ConfigIssue } from './invalid-config-error.ts';

/** A file with a secret, and the setting that names it. */
export interface SecretFile {
  readonly setting: string;
  readonly path: string;
}

/** Mode bits of all users other than the owner and the group. */
const otherUsers = { read: 0o004, write: 0o002 };

/**
 * An issue if every user of this machine can write the file and so replace the secret. Group access is accepted:
 * Kubernetes assigns volumes to the group of the container (`fsGroup`). A missing file is not reported here, since
 * reading it fails as well.
 */
export function worldWritableIssue({ setting, path }: SecretFile): ConfigIssue | null {
  if (!hasMode(path, otherUsers.write)) return null;
  return {
    setting,
    problem: `points to a file that every user of this machine can write (${path} has mode ${modeOf(path)}).`,
    hint: `Run \`chmod 600 ${path}\`, and check that the content of the file is still yours.`,
  };
}

/**
 * One warning for all files that every user of this machine can read. It is only a warning, and only one, because
 * Docker Swarm mounts secrets with mode 0444 and Kubernetes with 0644, into a container that has no other users.
 */
export function worldReadableWarnings(files: readonly SecretFile[]): ConfigIssue[] {
  const readable = files.filter(({ path }) => hasMode(path, otherUsers.read));
  if (readable.length === 0) return [];
  const paths = [...new Set(readable.map(({ path }) => path))];
  const pathsWithModes = paths.map((path) => `${path} (mode ${modeOf(path)})`).join(', ');
  return [
    {
      setting: readable.map(({ setting }) => setting).join(', '),
      problem: `can be read by every user of this machine: ${pathsWithModes}.`,
      hint:
        `Run \`chmod 600 ${paths.join(' ')}\`. A container has no other users, so nothing is required there; for a stricter mode, mount ` +
        'the secret with mode 0400 and the uid of the container (1000 in our image), or in Kubernetes with defaultMode 0440 and fsGroup 1000.',
    },
  ];
}

/** False for a missing file. Modes have no meaning on Windows. */
function hasMode(path: string, bit: number): boolean {
  if (process.platform === 'win32') return false;
  try {
    return (statSync(path).mode & bit) !== 0;
  } catch {
    return false;
  }
}

/** The permissions in the octal form that `chmod` takes. Throws what `statSync` throws. */
function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8).padStart(4, '0');
}
