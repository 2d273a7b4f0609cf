import { type Program, startNodeProgram } from '@tallyhook/platform/testing/start-node-program';
import { inject } from 'vitest';

export type { Program };

/** The entry file of the sources, which `npm start` runs. */
export const sourceLauncher = new URL('../../src/launch.js', import.meta.url).pathname;

/** The entry file of the bundle, where there is one. */
export const launcher = inject('launcher') ?? sourceLauncher;

/**
 * Starts the program as a child process, which is killed when the test has finished. It inherits only PATH.
 *
 * @param wrapper a command that starts the program, such as `setpriv` with its options
 */
export function startProgram(
  args: readonly string[],
  environment: Record<string, string>,
  cwd: string,
  wrapper: readonly string[] = [],
  entryFile = launcher,
): Program {
  return startNodeProgram(entryFile, args, environment, cwd, wrapper);
}
