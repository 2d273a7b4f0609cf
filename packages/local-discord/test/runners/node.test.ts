import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

/** The test runner waits for all that a test has opened, so a bot that does not end would time out. */
it('createTestBot runs under node --test, and leaves nothing open', { timeout: 120_000 }, async () => {
  const file = fileURLToPath(new URL('ping-with-node.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, ['--test', '--test-reporter=tap', file]);
  expect(stdout).toMatch(/^# pass 1$/m);
  expect(stdout).toMatch(/^# fail 0$/m);
});
