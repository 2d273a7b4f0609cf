import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { minute } from '../../src/platform/durations.ts';
import { failure, type ResponseHandler, startFakeService, success } from '../lookup/fake-service.ts';
import { createOffsetClock } from '../support/offset-clock.ts';
import { startInstallation } from '../support/start-installation.ts';

const waitOptions = { timeout: 20_000, interval: 50 };
const profile = success({ id: '1', name: 'Lantern Harbour', votes: 5 });
const hangs: ResponseHandler = () => {};
const deferred = 5;

/** A bot whose listing service does as it is told. */
async function troubled(changes: Record<string, string> = {}) {
  const service = await startFakeService();
  onTestFinished(() => service.close());
  const clock = createOffsetClock();
  const { discord, lines, url } = await startInstallation({ LOOKUP_BASE_URL: service.baseUrl, ...changes }, clock);
  await vi.waitFor(() => expect(discord.commands().length).toBe(3), waitOptions);
  const [member] = discord.members;
  if (member === undefined) throw new Error('nobody is there');
  /** The local Discord gives a bot 3 s for its first word, as Discord does: an answer that comes at all came in time. */
  const ask = async (name: string) => {
    const used = discord.runCommand({ name, options: {}, userId: member.id, channelId: discord.channels.general });
    const { type } = await used.response;
    return { type, text: JSON.stringify((await used.settled).embeds) };
  };
  const errors = () =>
    lines
      .map((line) => JSON.parse(line) as { level: number; code?: string; msg: string })
      .filter(({ level }) => level >= 50);
  const metrics = async () => (await fetch(`${url}/metrics`)).text();
  return { service, clock, ask, errors, metrics };
}

describe('while the listing service makes trouble', { timeout: 60_000 }, () => {
  it.each<[string, ResponseHandler, string]>([
    ['is broken', failure(500, 'oh'), 'has a temporary problem'],
    ['is gone', (response) => response.destroy(), 'cannot be reached'],
    ['asks for a pause', failure(429, 'slow down', { 'Retry-After': '20' }), 'Please try again <t:'],
    ['refuses the key', failure(401, 'no'), 'denied access to the bot'],
    ['answers in another shape', success({ title: 'x', can_vote: 1 }), 'does not understand'],
    ['answers with a page', (response) => response.writeHead(200).end('<h1>soon</h1>'), 'unreadable response'],
  ])('every command has a kind answer in time when it %s', async (_, answering, words) => {
    const { service, ask } = await troubled();
    service.respondWith(answering);
    const answers = await Promise.all(['canvote', 'stats', 'reviews'].map(ask));
    const texts = answers.map(({ text }) => text);
    for (const text of texts) expect(text).toMatch(/That did not work/);
    expect(texts.join(' ')).toContain(words);
  });

  it('a service that never answers is waited for behind a deferred answer, and then it is said when to try again', async () => {
    const { service, ask } = await troubled();
    service.respondWith(hangs);
    const answers = await Promise.all(['canvote', 'stats', 'reviews'].map(ask));
    for (const { type, text } of answers) {
      expect(type).toBe(deferred);
      expect(text).toMatch(/too long.*Please try again <t:\d+:R>/);
    }
  });

  it('what was known is told, with its age', async () => {
    const { service, clock, ask } = await troubled({ CACHE_URL: 'memory:' });
    service.respondWith(profile);
    expect((await ask('stats')).text).toContain('Lantern Harbour');
    clock.advance(10 * minute);
    service.respondWith(failure(500, 'oh'));
    const { text } = await ask('stats');
    expect(text).toContain('Lantern Harbour');
    expect(text).toMatch(/<t:\d+:R>/);
  });

  it('a refused key and a changed answer are told to the owner once, and stay in the metrics', async () => {
    const { service, ask, errors, metrics } = await troubled();
    service.respondWith(success({ title: 'no name' }));
    for (let times = 0; times < 3; times += 1) await ask('stats');
    expect(errors()).toMatchObject([{ code: 'lookup_wrong_shape', msg: expect.stringContaining('name') }]);
    expect(await metrics()).toContain('tallyhook_lookup_answers_changed{listing="server"} 1');

    service.respondWith(failure(401, 'no'));
    for (let times = 0; times < 3; times += 1) await ask('canvote');
    expect(errors().map(({ code }) => code)).toEqual(['lookup_wrong_shape', 'lookup_key_refused']);
    // A scrape is served again for a second.
    const told = await vi.waitFor(async () => {
      const text = await metrics();
      expect(text).toContain('tallyhook_lookup_key_refused{listing="server"} 1');
      return text;
    }, waitOptions);
    expect(told).toContain('tallyhook_lookup_failures_total{listing="server",code="lookup_key_refused"} 1');
    expect(told).toMatch(/tallyhook_lookup_budget_left\{listing="server"\} 11\d/);
  });
});
