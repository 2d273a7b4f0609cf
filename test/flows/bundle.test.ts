import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundle } from '../../scripts/bundle.ts';
import { localDiscord } from '../support/local-discord.ts';
import { settings, unreachableDiscord } from '../support/settings.ts';
import { startProgram } from '../support/start-program.ts';
import { tempDir } from '../support/temp-dir.ts';

const root = new URL('../../', import.meta.url).pathname;
/** The layout of the image: the bundle and package.json without packages. */
const image = mkdtempSync(join(tmpdir(), 'tallyhook-bundle-'));
const folder = join(image, 'dist', 'program');
const startBundle = (args: readonly string[], environment: Record<string, string>, cwd = tempDir()) =>
  startProgram(args, environment, cwd, [], join(folder, 'launch.js'));

beforeAll(async () => {
  await bundle(folder);
  cpSync(join(root, 'package.json'), join(image, 'package.json'));
}, 60_000);

afterAll(() => rmSync(image, { recursive: true, force: true }));

describe('the bundled program', { timeout: 60_000 }, () => {
  it('prints its version', async () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const { ended, output } = startBundle(['--version'], {});
    expect(await ended).toBe(0);
    expect(output()).toBe(`${version}\n`);
  });

  it('becomes ready with SQLite and its write worker, and shuts down gracefully', async () => {
    const discord = await localDiscord();
    const running = startBundle(['start'], settings(discord));
    const url = await running.url();
    await expect.poll(async () => (await fetch(`${url}/readyz`)).status, { timeout: 20_000 }).toBe(200);
    running.process.kill('SIGTERM');
    expect(await running.ended).toBe(0);
  });

  it('contains the stylesheet and the icon of the console', async () => {
    const discord = await localDiscord();
    const running = startBundle(['start'], { ...settings(discord), OWNER_TOKEN: 'owner-token-for-tests' });
    const url = await running.url();
    for (const [path, type] of [
      ['console.css', 'text/css'],
      ['icon.svg', 'image/svg+xml'],
    ] as const) {
      const response = await fetch(`${url}/owner/${path}`);
      expect([response.status, response.headers.get('content-type')], path).toEqual([
        200,
        expect.stringContaining(type),
      ]);
    }
    running.process.kill('SIGTERM');
    expect(await running.ended).toBe(0);
  });

  it('contains the stylesheet of the listing service', async () => {
    const running = startBundle(['service', '--port', '0', '--database', 'sqlite::memory:'], {});
    await expect.poll(running.output, { timeout: 20_000 }).toMatch(/http:\/\/[\w.]+:\d+/);
    const [url] = /http:\/\/[\w.]+:\d+/.exec(running.output()) ?? [];
    const response = await fetch(`${url}/assets/service.css`);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/css; charset=utf-8']);
    running.process.kill('SIGTERM');
    expect(await running.ended).toBe(0);
  });

  it('contains the page of the sandbox', async () => {
    const running = startBundle(['sandbox', '--no-open', '--port', '0'], {});
    await expect.poll(running.output, { timeout: 20_000 }).toMatch(/http:\/\/127\.0\.0\.1:\d+/);
    const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(running.output()) ?? [];
    expect(await (await fetch(`${url}/`)).text()).toContain('<script');
    expect((await fetch(`${url}/main.js`)).status).toBe(200);
    running.process.kill('SIGTERM');
    expect(await running.ended).toBe(0);
  });

  it('contains the PostgreSQL client, and reports a failed connection', async () => {
    const { ended, output } = startBundle(['start'], {
      ...settings(unreachableDiscord),
      DATABASE_URL: 'postgres://127.0.0.1:9/none',
    });
    expect(await ended).toBe(1);
    expect(output()).toContain('The database cannot be opened: connect ECONNREFUSED');
  });

  it('has an entry file with only Node.js imports, so that it can check the Node.js version', () => {
    const first = readFileSync(join(folder, 'launch.js'), 'utf8');
    expect([...first.matchAll(/^import .* from "(.*)"/gm)].map(([, from]) => from?.slice(0, 5))).toEqual(
      Array.from(first.matchAll(/^import/gm), () => 'node:'),
    );
  });

  it('contains the licences of its packages', () => {
    const notices = readFileSync(join(folder, 'THIRD-PARTY.txt'), 'utf8');
    expect(notices).toMatch(/^discord\.js \d+\.\d+\.\d+ \(Apache-2\.0\)\n\nApache License$/m);
    expect(notices).toMatch(/^zod \d+\.\d+\.\d+ \(MIT\)\n\nMIT License\n\nCopyright/m);
  });
});
