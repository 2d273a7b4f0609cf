import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { bundle } from '../../scripts/bundle.ts';
import { fontFiles } from '../../src/drawing/fonts.ts';
import type { Message } from '../../src/sandbox/discord/objects.ts';
import type { PageEvent } from '../../src/sandbox/page/protocol.ts';
import { localDiscord } from '../support/local-discord.ts';
import { settings, unreachableDiscord } from '../support/settings.ts';
import { startProgram } from '../support/start-program.ts';
import { tempDir } from '../support/temp-dir.ts';

const root = new URL('../../', import.meta.url).pathname;
/** The layout of the image: the bundle and package.json without packages, except for the one that draws pictures. */
const image = mkdtempSync(join(tmpdir(), 'tallyhook-bundle-'));
const folder = join(image, 'dist', 'program');
const startBundle = (args: readonly string[], environment: Record<string, string>, cwd = tempDir()) =>
  startProgram(args, environment, cwd, [], join(folder, 'launch.js'));

beforeAll(async () => {
  await bundle(folder);
  cpSync(join(root, 'package.json'), join(image, 'package.json'));
}, 60_000);

/** Votes in the sandbox and runs /stats there. Returns the reply as the page receives it. */
async function runStats(): Promise<Message> {
  const running = startBundle(['sandbox', '--no-open', '--port', '0'], {});
  await expect.poll(running.output, { timeout: 20_000 }).toMatch(/http:\/\/127\.0\.0\.1:\d+/);
  const [url = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(running.output()) ?? [];
  const headers = { origin: url, 'content-type': 'application/json' };
  const post = (path: string, body: object) =>
    fetch(`${url}/page/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  const { body } = await fetch(`${url}/page/events`);
  const events: PageEvent[] = [];
  // Ends with the process.
  void readEvents(body, (event) => events.push(event)).catch(() => {});
  const offersStats = () => events.some((event) => 'commands' in event && event.commands.some(isStats));
  await expect.poll(offersStats, { timeout: 20_000 }).toBe(true);
  const [state] = events.flatMap((event) => (event.kind === 'full_state' ? [event] : []));
  const userId = state?.members[0]?.id;
  const channelId = state?.channels.find(({ name }) => name === 'general')?.id;
  const isMessage = ({ kind }: PageEvent) => kind === 'message';
  expect((await post('votes', { userId, kind: 'server' })).status).toBe(200);
  // The announcement: the vote is recorded.
  await expect.poll(() => events.some(isMessage), { timeout: 20_000 }).toBe(true);
  // A picture begins a week after the first votes.
  for (let half = 0; half < 14; half += 1)
    expect((await post('trouble', { fault: 'move_clock', userId })).status).toBe(200);
  expect((await post('commands', { name: 'stats', userId, channelId, options: {} })).status).toBe(200);
  const reply = () =>
    events
      .flatMap((event) => (event.kind === 'message' ? [event.message] : []))
      .find((each) => each.channel_id === channelId);
  await expect.poll(reply, { timeout: 20_000 }).toBeDefined();
  running.process.kill('SIGTERM');
  await running.ended;
  const message = reply();
  if (message === undefined) throw new Error('no reply');
  return message;
}

const isStats = ({ name }: { readonly name: string }) => name === 'stats';

async function readEvents(body: Response['body'], onEvent: (event: PageEvent) => void): Promise<void> {
  if (body === null) throw new Error('no events');
  for await (const line of createInterface({ input: Readable.from(body) })) {
    if (line.startsWith('data: ')) onEvent(JSON.parse(line.slice('data: '.length)));
  }
}

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

  it('replies without pictures if their package is missing', async () => {
    const { embeds } = await runStats();
    expect(embeds).toEqual([expect.objectContaining({ title: 'Lantern Harbour' })]);
    expect(embeds[0]).not.toHaveProperty('image');
  });

  it('contains the fonts of pictures, which are drawn with the package beside it', async () => {
    const packages = join(image, 'node_modules');
    cpSync(join(root, 'node_modules', '@takumi-rs'), join(packages, '@takumi-rs'), { recursive: true });
    onTestFinished(() => rmSync(packages, { recursive: true }));
    const { embeds } = await runStats();
    expect(embeds[0]?.image?.url).toMatch(/\/votes\.png$/);
    expect(readdirSync(join(folder, 'fonts')).toSorted()).toEqual(['LICENSE', ...fontFiles].toSorted());
    expect(readFileSync(join(folder, 'fonts', 'LICENSE'), 'utf8')).toContain('SIL Open Font License');
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
