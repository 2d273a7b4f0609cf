import { hour, minute, second } from '@tallyhook/platform/durations';
import { createOffsetClock } from '@tallyhook/platform/testing/offset-clock';
import { onFinished, sharedByTests } from '@tallyhook/platform/testing/on-finished';
import { describe, expect, it, vi } from 'vitest';
import { failure, type ResponseHandler, startFakeService, success } from '../support/fake-service.ts';
import { startInstallation } from '../support/start-installation.ts';

const waitOptions = { timeout: 20_000, interval: 50 };
const profile = success({ id: '1', name: 'Lantern Harbour', votes: 5 });
const hangs: ResponseHandler = () => {};
const deferred = 5;

/** Starts an installation with a fake listing service, whose responses the test controls. */
async function startWithFakeService(changes: Record<string, string> = {}) {
  const service = await startFakeService();
  onFinished(() => service.close());
  const clock = createOffsetClock();
  const { discord, app, lines, url } = await startInstallation({ LOOKUP_BASE_URL: service.baseUrl, ...changes }, clock);
  await vi.waitFor(() => expect(discord.commands().length).toBe(app.commandData().length), waitOptions);
  const [member] = discord.members;
  if (member === undefined) throw new Error('no member');
  /** The local Discord requires the first response within 3 s, like Discord, so any response is in time. */
  const use = (name: string) =>
    discord.runCommand({ name, options: {}, userId: member.id, channelId: discord.channels.general });
  const runCommand = async (name: string) => JSON.stringify((await use(name).settled).embeds);
  const errors = () =>
    lines
      .map((line) => JSON.parse(line) as { level: number; code?: string; msg: string })
      .filter(({ level }) => level >= 50);
  const metrics = async () => (await fetch(`${url}/metrics`)).text();
  return { service, clock, use, runCommand, errors, metrics };
}

const everyCommand = ['canvote', 'stats', 'reviews'];

describe('while the listing service fails', { timeout: 60_000 }, () => {
  const shared = sharedByTests(startWithFakeService);

  it.each<[string, ResponseHandler, string]>([
    ['responds with 500', failure(500, 'oh'), 'has a temporary problem'],
    ['closes the connection', (response) => response.destroy(), 'cannot be reached'],
    ['limits the rate', failure(429, 'slow down', { 'Retry-After': '20' }), 'Please try again <t:'],
    ['rejects the key', failure(401, 'no'), 'denied access to the bot'],
    ['responds in another format', success({ title: 'x', can_vote: 1 }), 'does not understand'],
    ['responds with HTML', (response) => response.writeHead(200).end('<h1>soon</h1>'), 'unreadable response'],
  ])('every command responds with a hint in time if it %s', async (_, handler, words) => {
    const { service, clock, runCommand } = shared();
    service.respondWith(handler);
    // An earlier rate limit has ended.
    clock.advance(hour);
    const texts = await Promise.all(everyCommand.map(runCommand));
    for (const text of texts) expect(text).toMatch(/That did not work/);
    expect(texts.join(' ')).toContain(words);
  });

  it('a service that does not respond leads to a deferred response with the time of the next attempt', async () => {
    const { service, clock, use } = shared();
    service.respondWith(hangs);
    clock.advance(hour);
    const uses = everyCommand.map(use);
    for (const { response } of uses) expect(await response).toMatchObject({ type: deferred });
    clock.advance(10 * second);
    for (const { settled } of uses)
      expect(JSON.stringify((await settled).embeds)).toMatch(/too long.*Please try again <t:\d+:R>/);
  });

  it('cached data is shown with its age', async () => {
    const { service, clock, runCommand } = await startWithFakeService({ CACHE_URL: 'memory:' });
    service.respondWith(profile);
    expect(await runCommand('stats')).toContain('Lantern Harbour');
    clock.advance(10 * minute);
    service.respondWith(failure(500, 'oh'));
    const text = await runCommand('stats');
    expect(text).toContain('Lantern Harbour');
    expect(text).toMatch(/<t:\d+:R>/);
  });

  it('a rejected key and a changed response are logged once and remain in the metrics', async () => {
    const { service, runCommand, errors, metrics } = await startWithFakeService();
    service.respondWith(success({ title: 'no name' }));
    for (let times = 0; times < 3; times += 1) await runCommand('stats');
    expect(errors()).toMatchObject([{ code: 'lookup_wrong_shape', msg: expect.stringContaining('name') }]);
    expect(await metrics()).toContain('tallyhook_lookup_answers_changed{listing="server"} 1');

    service.respondWith(failure(401, 'no'));
    for (let times = 0; times < 3; times += 1) await runCommand('canvote');
    // The command also asks for the page of the other listing.
    const ofServer = errors().filter(({ msg }) => !msg.startsWith('GET /bot:'));
    expect(ofServer.map(({ code }) => code)).toEqual(['lookup_wrong_shape', 'lookup_key_refused']);
    // Metrics are cached for a second.
    const metricsText = await vi.waitFor(async () => {
      const text = await metrics();
      expect(text).toContain('tallyhook_lookup_key_refused{listing="server"} 1');
      return text;
    }, waitOptions);
    expect(metricsText).toContain('tallyhook_lookup_failures_total{listing="server",code="lookup_key_refused"} 1');
    expect(metricsText).toMatch(/tallyhook_lookup_budget_left\{listing="server"\} 11\d/);
  });
});
