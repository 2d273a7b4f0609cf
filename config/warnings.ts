import type { Environment, NamedFile } from './read-values.ts';
import type { ConfigIssue } from './schema.ts';
import { isWorldReadable, modeOf } from './secret-file.ts';
import { unknownVariables } from './unknown-variables.ts';

/** What is no fault of the settings, but most likely not meant. */
export function warningsOf(environment: Environment, secretFiles: readonly NamedFile[]): ConfigIssue[] {
  return [...unknownVariables(environment), ...worldReadable(secretFiles)];
}

/** One warning for all of them: a container platform mounts all of its secrets with the same mode. */
function worldReadable(files: readonly NamedFile[]): ConfigIssue[] {
  const readable = files.filter(({ path }) => isReadableFile(path));
  if (readable.length === 0) return [];
  const paths = [...new Set(readable.map(({ path }) => path))];
  return [
    {
      setting: readable.map(({ setting }) => setting).join(', '),
      problem: `can be read by every user of this machine: ${paths.map((path) => `${path} (mode ${modeOf(path)})`).join(', ')}.`,
      hint:
        `Run \`chmod 600 ${paths.join(' ')}\`. In a container nobody else is there; if you want it stricter, give the secret mode 0400 and the ` +
        'uid of the container (1000 in ours), or in Kubernetes defaultMode 0440 with fsGroup 1000.',
    },
  ];
}

/** A file that cannot be found is a fault, which is reported elsewhere. */
function isReadableFile(path: string): boolean {
  try {
    return isWorldReadable(path);
  } catch {
    return false;
  }
}
