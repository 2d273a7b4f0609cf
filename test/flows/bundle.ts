import { cpSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { launcher, startProgram } from '../support/start-program.ts';

export const root = new URL('../../', import.meta.url).pathname;

/** The layout of the image, until the test has finished: the bundle and package.json, without packages. */
export function createImage() {
  const image = tempDir();
  const folder = join(image, 'dist', 'program');
  cpSync(dirname(launcher), folder, { recursive: true });
  cpSync(join(root, 'package.json'), join(image, 'package.json'));
  return {
    image,
    folder,
    start: (args: readonly string[], environment: Record<string, string>) =>
      startProgram(args, environment, tempDir(), [], join(folder, 'launch.js')),
  };
}
