import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { localDiscord } from '../support/local-discord.ts';
import { settings, unreachableDiscord } from '../support/settings.ts';
import { createImage, root } from './bundle.ts';

describe('the bundled program', { timeout: 120_000 }, () => {
  it('becomes ready with SQLite and its write worker, has the files of the console, and shuts down gracefully', async () => {
    const discord = await localDiscord();
    const running = createImage().start(['start'], settings(discord));
    const url = await running.url();
    await expect.poll(async () => (await fetch(`${url}/readyz`)).status, { timeout: 60_000 }).toBe(200);
    for (const [path, type] of [
      ['console.css', 'text/css'],
      ['icon.svg', 'image/svg+xml'],
    ] as const) {
      const { status, headers } = await fetch(`${url}/owner/${path}`);
      expect([status, headers.get('content-type')], path).toEqual([200, expect.stringContaining(type)]);
    }
    running.process.kill('SIGTERM');
    expect(await running.ended).toBe(0);
  });

  it('prints its version', async () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const { ended, output } = createImage().start(['--version'], {});
    expect(await ended).toBe(0);
    expect(output()).toBe(`${version}\n`);
  });

  it('contains the PostgreSQL client, and reports a failed connection', async () => {
    const { ended, output } = createImage().start(['start'], {
      ...settings(unreachableDiscord),
      DATABASE_URL: 'postgres://127.0.0.1:9/none',
    });
    expect(await ended).toBe(1);
    expect(output()).toContain('The database cannot be opened: connect ECONNREFUSED');
  });

  it('has an entry file with only Node.js imports, so that it can check the Node.js version', () => {
    const { folder } = createImage();
    const first = readFileSync(join(folder, 'launch.js'), 'utf8');
    expect([...first.matchAll(/^import .* from "(.*)"/gm)].map(([, from]) => from?.slice(0, 5))).toEqual(
      Array.from(first.matchAll(/^import/gm), () => 'node:'),
    );
  });

  it('contains the licences of its packages', () => {
    const notices = readFileSync(join(createImage().folder, 'THIRD-PARTY.txt'), 'utf8');
    expect(notices).toMatch(/^discord\.js \d+\.\d+\.\d+ \(Apache-2\.0\)\n(?:.+\n)*\nApache License$/m);
    expect(notices).toMatch(/^zod \d+\.\d+\.\d+ \(MIT\)\n\nMIT License\n\nCopyright/m);
  });
});
