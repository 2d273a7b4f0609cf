import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { expect, it } from 'vitest';
import { sourceLauncher, startProgram } from '../support/start-program.ts';

it('the page of the sandbox is not announced if its script cannot be bundled', { timeout: 120_000 }, async () => {
  const hook = `
    import { registerHooks } from 'node:module';
    registerHooks({
      resolve: (name, context, next) => {
        if (name === 'rolldown') throw new Error('no bundler is installed');
        return next(name, context);
      },
    });`;
  const environment = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hook)}` };
  // A bundle has the script already.
  const { ended, output } = startProgram(
    ['sandbox', '--no-open', '--port', '0', '--seed', 'none'],
    environment,
    tempDir(),
    [],
    sourceLauncher,
  );
  const code = await ended;
  expect(output()).toMatch(/^The script of the page cannot be bundled: no bundler is installed\..*\n$/);
  expect(code).toBe(1);
});
