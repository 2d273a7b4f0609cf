import { execFile } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onFinished, sharedByTests } from '@tallyhook/platform/testing/on-finished';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { describe, expect, it } from 'vitest';
import { readCodeBlocks } from '../../scripts/api/code-blocks.ts';
import { startService } from '../../src/exports/sandbox.ts';
import { blockOf, expectToFinish, handlesSigterm, root, voteOnTopgg } from './sample.ts';

const blocks = readCodeBlocks().map(({ path, line, code, continues }) => ({
  origin: `${path}, line ${line}`,
  code: (continues ?? '') + code,
}));
const tests = blocks.filter(({ code }) => code.includes("from 'vitest'"));
/** Those that stop on SIGTERM have a test of their own. */
const programs = blocks.filter((block) => !tests.includes(block) && !block.code.includes(handlesSigterm));

/** A listing service with a server. */
async function startListingService() {
  const running = await startService({ seed: true, allowLoopbackTargets: false });
  onFinished(() => running.stop());
  return { url: `${running.url}/api/v1`, key: running.seeded?.keys?.server ?? '' };
}

describe('the code in documents', { timeout: 240_000 }, () => {
  const service = sharedByTests(startListingService);

  it.each(programs)('runs to its end: $origin', async ({ code }) => {
    const { url, key } = service();
    const withAddress = code.replaceAll('https://list.example/api/v1', url);
    await expectToFinish(withAddress, { LOOKUP_BASE_URL: url, LOOKUP_SERVER_KEY: key });
  });

  it('of the README records a signed vote of top.gg, and its function is called', async () => {
    const code = blockOf('README.md', 'In your own program');
    const output = await voteOnTopgg(code, { path: '/webhooks/my-bot', userId: '204255221017214977' });
    await expect.poll(output, { timeout: 30_000 }).toContain('204255221017214977 has voted: +10, day 1');
  });

  it.each(tests)('is a test that passes: $origin', async ({ code }) => {
    const directory = tempDir();
    symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'));
    const sources = code.replaceAll(/'tallyhook\/(\w+)'/g, `'${root}src/exports/$1.ts'`);
    writeFileSync(join(directory, 'sample.test.ts'), sources);
    const vitest = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--root', directory];
    const { stdout } = await promisify(execFile)(process.execPath, vitest, { env: { ...process.env, NO_COLOR: '1' } });
    expect(stdout).toMatch(/Tests +\d+ passed/);
  });
});
