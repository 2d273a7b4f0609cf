import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { fontFiles } from '@tallyhook/platform/pictures/fonts';
import type { Message } from 'local-discord';
import { describe, expect, it } from 'vitest';
import type { PageEvent } from '../../packages/local-discord/src/page/snapshot.ts';
import { createImage, root } from './bundle.ts';

type Image = ReturnType<typeof createImage>;

/**
 * Opens the page of the sandbox, votes and runs /stats there, until a reply is as `isAwaited`: none waits long for the
 * first picture. Returns the last reply as the page receives it.
 */
async function runStats(startBundle: Image['start'], isAwaited: (reply: Message) => boolean): Promise<Message> {
  const running = startBundle(['sandbox', '--no-open', '--port', '0'], {});
  await expect.poll(running.output, { timeout: 60_000 }).toMatch(/http:\/\/127\.0\.0\.1:\d+/);
  const [url = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(running.output()) ?? [];
  expect(await (await fetch(`${url}/`)).text()).toContain('<script');
  expect((await fetch(`${url}/main.js`)).status).toBe(200);
  const headers = { origin: url, 'content-type': 'application/json' };
  const post = (path: string, body: object) =>
    fetch(`${url}/page/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  const { body } = await fetch(`${url}/page/events`);
  const events: PageEvent[] = [];
  // Ends with the process.
  void readEvents(body, (event) => events.push(event)).catch(() => {});
  const offersStats = () => events.some((event) => 'commands' in event && event.commands.some(isStats));
  await expect.poll(offersStats, { timeout: 60_000 }).toBe(true);
  const [state] = events.flatMap((event) => (event.kind === 'full_state' ? [event] : []));
  const userId = state?.members[0]?.id;
  const channelId = state?.channels.find(({ name }) => name === 'general')?.id;
  const isMessage = ({ kind }: PageEvent) => kind === 'message';
  expect((await post('votes', { userId, kind: 'server' })).status).toBe(200);
  // The announcement: the vote is recorded.
  await expect.poll(() => events.some(isMessage), { timeout: 60_000 }).toBe(true);
  // A picture begins a week after the first votes.
  for (let half = 0; half < 14; half += 1)
    expect((await post('trouble', { fault: 'move_clock', userId })).status).toBe(200);
  const replies = () =>
    events
      .flatMap((event) => (event.kind === 'message' ? [event.message] : []))
      .filter((each) => each.channel_id === channelId);
  let reply: Message | undefined;
  for (let tries = 0; tries < 10 && (reply === undefined || !isAwaited(reply)); tries += 1) {
    const before = replies().length;
    expect((await post('commands', { name: 'stats', userId, channelId, options: {} })).status).toBe(200);
    await expect.poll(() => replies().length, { timeout: 60_000 }).toBeGreaterThan(before);
    reply = replies().at(-1);
  }
  running.process.kill('SIGTERM');
  await running.ended;
  if (reply === undefined) throw new Error('no reply');
  return reply;
}

const isStats = ({ name }: { readonly name: string }) => name === 'stats';

async function readEvents(body: Response['body'], onEvent: (event: PageEvent) => void): Promise<void> {
  if (body === null) throw new Error('no events');
  for await (const line of createInterface({ input: Readable.from(body) })) {
    if (line.startsWith('data: ')) onEvent(JSON.parse(line.slice('data: '.length)));
  }
}

describe('the bundled program', { timeout: 180_000 }, () => {
  it('contains the stylesheet of the listing service', async () => {
    const running = createImage().start(['service', '--port', '0', '--database', 'sqlite::memory:'], {});
    await expect.poll(running.output, { timeout: 60_000 }).toMatch(/http:\/\/[\w.]+:\d+/);
    const [url] = /http:\/\/[\w.]+:\d+/.exec(running.output()) ?? [];
    const response = await fetch(`${url}/assets/service.css`);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/css; charset=utf-8']);
    running.process.kill('SIGTERM');
    expect(await running.ended).toBe(0);
  });

  it('has the page of the sandbox, and replies without pictures if their package is missing', async () => {
    const { embeds } = await runStats(createImage().start, () => true);
    expect(embeds).toEqual([expect.objectContaining({ title: 'Lantern Harbour' })]);
    expect(embeds[0]).not.toHaveProperty('image');
  });

  it('contains the fonts of pictures, which are drawn with the package beside it', async () => {
    const { image, folder, start } = createImage();
    const packages = join(image, 'node_modules');
    cpSync(join(root, 'node_modules', '@takumi-rs'), join(packages, '@takumi-rs'), { recursive: true });
    const { embeds } = await runStats(start, ({ embeds: [embed] }) => embed?.image !== undefined);
    expect(embeds[0]?.image?.url).toMatch(/\/votes\.png$/);
    expect(readdirSync(join(folder, 'fonts')).toSorted()).toEqual(['LICENSE', ...fontFiles].toSorted());
    expect(readFileSync(join(folder, 'fonts', 'LICENSE'), 'utf8')).toContain('SIL Open Font License');
  });
});
