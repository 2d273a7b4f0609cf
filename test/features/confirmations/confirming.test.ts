import { createHmac } from 'node:crypto';
import { systemClock } from '@tallyhook/platform/clock';
import { day, hour, minute, second } from '@tallyhook/platform/durations';
import { eventually } from '@tallyhook/platform/testing/eventually';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { expect, it, onTestFinished } from 'vitest';
import { createReceiver } from '../../../src/app/receiver-app.ts';
import { json, startFakeService } from '../../support/fake-service.ts';
import { environmentWith } from '../../support/listings-file.ts';
import { newSqliteUrl } from '../../support/new-sqlite.ts';
import { ownerApi, startApp } from '../../support/start-app.ts';

const voter = '205680187394752512';
const botId = '716390085896962058';
const siteKey = 'api-token-of-the-site';
const yes = json(200, { voted: true, lastVote: null });
const no = json(200, { voted: false, lastVote: null });
const vote = { bot: botId, user: voter, test: false };

/** The program as a receiver, with a listing whose votes discord.place confirms. Its API is played. */
async function startProgram(changes: object = {}) {
  const site = await startFakeService();
  onTestFinished(() => site.close());
  site.respondWith(yes);
  const clock = manualClock(Date.now());
  const listing = { name: 'lamp', kind: 'bot', id: botId, site: 'discordplace', voteSecrets: ['secret'], siteKey };
  const environment = {
    ...{ TALLYHOOK_ROLES: 'receive', DATABASE_URL: newSqliteUrl(), CACHE_URL: 'memory:', PORT: '0' },
    ...{ OWNER_TOKEN: 'owner-token-for-tests', SITE_API_URL: site.origin },
  };
  const lines: string[] = [];
  const start = (settings: object) =>
    startApp({ ...environmentWith([{ ...listing, confirm: true, ...settings }]), ...environment }, { clock }, lines);
  let { app, url } = await start(changes);

  async function post(body: object = vote, signed = false): Promise<unknown> {
    const text = JSON.stringify(body);
    const t = Math.floor(clock.now() / second);
    const v1 = createHmac('sha256', 'secret').update(`${t}.${text}`).digest('hex');
    const headers: Record<string, string> = signed
      ? { 'x-topgg-signature': `t=${t},v1=${v1}` }
      : { authorization: 'secret' };
    const response = await fetch(`${url}/webhooks/lamp`, { method: 'POST', headers, body: text });
    return ((await response.json()) as { outcome?: string }).outcome;
  }
  const owner = async (path: string, method?: string) =>
    (await ownerApi(url, 'owner-token-for-tests')(path, method)).json;
  /** Advances the clock in steps, until the check passes. */
  const within = (ms: number, check: () => Promise<void> | void, stepMs = second) => {
    const until = clock.now() + ms;
    return eventually(async () => {
      try {
        await check();
      } catch (error) {
        // The owner API limits requests.
        await systemClock.sleep(50);
        if (clock.now() < until) await clock.advance(stepMs);
        throw error;
      }
    });
  };
  return {
    ...{ site, clock, lines, post, owner, within },
    member: () => owner(`/users/${voter}`),
    deliveries: async () => (await owner('/deliveries'))['deliveries'] as readonly Record<string, unknown>[],
    async restart(settings = changes) {
      await app.stop();
      ({ app, url } = await start(settings));
    },
  };
}

it('a vote is acknowledged at once, and paid when the site confirms it', async () => {
  const { site, post, member, within, lines } = await startProgram();
  let answer = () => {};
  site.respondWith((response, request) => {
    answer = () => yes(response, request);
  });
  expect(await post()).toBe('recorded');
  await within(10 * second, () => expect(site.requests).toHaveLength(1));
  expect(site.requests[0]?.url).toBe(`/bots/${botId}/voters/${voter}`);
  expect(await post()).toBe('duplicate');
  expect(await member()).toMatchObject({ credits: 0, votes: 0 });
  answer();
  await within(10 * second, async () => expect(await member()).toMatchObject({ credits: 10, votes: 1 }));
  expect(await post()).toBe('duplicate');
  expect(await member()).toMatchObject({ credits: 10, votes: 1 });
  expect(lines.join('')).not.toContain(siteKey);
});

it('a vote that waits for its site is explained so, and one that the site denies as unpaid', async () => {
  const { site, post, owner, within } = await startProgram();
  site.respondWith(json(503, {}));
  await post();
  await eventually(() => expect(site.requests).toHaveLength(1));
  expect(await owner('/deliveries/1')).toMatchObject({
    why: expect.stringContaining('paid as soon as its site confirms it'),
    timeline: [{}, { text: 'Stored until its site answers: the vote waits until its site confirms it.' }, {}],
  });
  site.respondWith(no);
  const why = expect.stringContaining('Replay the delivery to pay it all the same.');
  await within(30 * second, async () => expect(await owner('/deliveries/1')).toMatchObject({ why }));
});

it('a vote that the site denies twice is not paid, and does not block a later one', async () => {
  const { site, post, member, deliveries, within } = await startProgram();
  site.respondWith(no);
  expect(await post()).toBe('recorded');
  await within(15 * second, () => expect(site.requests.length).toBe(2));
  const reason = 'the site says that the member has not voted';
  await within(10 * second, async () => expect(await deliveries()).toMatchObject([{ outcome: 'quarantined', reason }]));
  expect(await member()).toMatchObject({ credits: 0, votes: 0 });
  site.respondWith(yes);
  expect(await post()).toBe('recorded');
  await within(10 * second, async () => expect(await member()).toMatchObject({ credits: 10, votes: 1 }));
});

it('a vote is paid within 15 s after an error of the site, also after a restart', async () => {
  const { site, clock, post, member, within, restart } = await startProgram();
  site.respondWith(json(503, {}));
  expect(await post()).toBe('recorded');
  await within(10 * second, () => expect(site.requests.length).toBeGreaterThan(0));
  clock.shiftWallClock(20 * minute);
  await restart();
  expect(await post()).toBe('duplicate');
  site.respondWith(yes);
  await within(15 * second, async () => expect(await member()).toMatchObject({ credits: 10, votes: 1 }));
});

it('a vote is paid within 15 s after a site answers that has left a request without a response', async () => {
  const { site, post, member, within } = await startProgram();
  site.respondWith(() => {});
  expect(await post()).toBe('recorded');
  await within(second, () => expect(site.requests).toHaveLength(1));
  site.respondWith(yes);
  await within(15 * second, async () => expect(await member()).toMatchObject({ credits: 10, votes: 1 }));
});

it('a vote of which the site says nothing for a day is left to the owner, who can release it', async () => {
  const { site, clock, post, owner, member, deliveries, within } = await startProgram();
  site.respondWith(json(500, {}));
  expect(await post()).toBe('recorded');
  await within(10 * second, () => expect(site.requests.length).toBeGreaterThan(0));
  clock.shiftWallClock(day);
  const reason = 'the site did not say within 24 hours whether the member has voted';
  await within(minute, async () => expect(await deliveries()).toMatchObject([{ outcome: 'quarantined', reason }]));
  const [delivery] = await deliveries();
  expect(await owner(`/deliveries/${String(delivery?.['id'])}/replay`, 'POST')).toMatchObject({ outcome: 'recorded' });
  expect(await member()).toMatchObject({ credits: 10, votes: 1 });
});

it.each(['its site', 'the owner'])(
  'a vote that waits while its listing stops asking is released by %s, and blocks no later one',
  async (who) => {
    const { site, clock, post, owner, member, within, restart } = await startProgram();
    site.respondWith(json(503, {}));
    expect(await post()).toBe('recorded');
    await eventually(() => expect(site.requests).toHaveLength(1));
    await restart({ confirm: false });
    if (who === 'the owner') await owner('/deliveries/1/replay', 'POST');
    else site.respondWith(yes);
    await within(30 * second, async () => expect(await owner('/effects?state=waiting')).toMatchObject({ effects: [] }));
    expect(await member()).toMatchObject({ credits: 10, votes: 1 });
    clock.shiftWallClock(day + hour);
    await restart();
    expect(await post()).toBe('recorded');
  },
);

it('a vote that waits while its listing becomes another bot does not block a later one', async () => {
  const { site, post, owner, deliveries, within, restart } = await startProgram();
  site.respondWith(json(503, {}));
  expect(await post()).toBe('recorded');
  await eventually(() => expect(site.requests).toHaveLength(1));
  await restart({ id: '716390085896962059' });
  site.respondWith(yes);
  await within(30 * second, async () => expect(await owner('/effects?state=waiting')).toMatchObject({ effects: [] }));
  expect(await deliveries()).toMatchObject([{ outcome: 'quarantined' }]);
  await restart();
  expect(await post()).toBe('recorded');
});

it('a vote that is recorded already does not confirm another one', async () => {
  const { site, clock, post, member, deliveries, within } = await startProgram();
  const votedAt = clock.now() - second;
  site.respondWith(json(200, { voted: true, lastVote: votedAt }));
  await post();
  await within(10 * second, async () => expect(await member()).toMatchObject({ votes: 1 }));
  clock.shiftWallClock(23 * hour + 59 * minute + 30 * second);
  expect(await post()).toBe('recorded');
  await within(30 * second, async () => {
    expect((await deliveries())[0]).toMatchObject({ reason: expect.stringContaining('not voted') });
  });
  expect(await member()).toMatchObject({ credits: 10, votes: 1 });
});

const iso = (at: number) => new Date(at).toISOString();
const refused = 'the site says that the member has not voted';
const waiting = 'the vote waits until its site confirms it';

it('a different vote of a member whose vote waits is held too, and both are paid by their own times', async () => {
  const { site, clock, post, member, deliveries, within } = await startProgram({ site: 'topgg' });
  const voteAt = (at: number, id: string) => {
    const project = { id: '1', type: 'bot', platform: 'discord', platform_id: botId };
    const data = { id, weight: 1, created_at: iso(at), expires_at: iso(at + 12 * hour), project };
    return { type: 'vote.create', data: { ...data, user: { id: '2', platform_id: voter } } };
  };
  const times: number[] = [];
  const vote = async (id: string) => {
    times.push(clock.now());
    const body = voteAt(clock.now(), id);
    const outcomes = [await post(body, true)];
    clock.shiftWallClock(minute);
    return [...outcomes, await post(body, true)];
  };
  site.respondWith(json(500, {}));
  expect(await vote('808499215864008704')).toEqual(['recorded', 'duplicate']);
  clock.shiftWallClock(12.5 * hour);
  expect(await vote('808499215864008705')).toEqual(['recorded', 'duplicate']);
  const held = (await deliveries()).filter(({ outcome }) => outcome === 'quarantined');
  expect(held).toMatchObject([
    { userId: voter, reason: waiting, body: expect.stringContaining('808499215864008705') },
    { userId: voter, reason: waiting },
  ]);
  site.respondWith((response, request) => {
    const listed = times.map((at) => ({ created_at: iso(at), expires_at: iso(at + 12 * hour), weight: 1 }));
    const data = listed.map((each) => ({ ...each, platform_id: voter }));
    json(200, request.url?.includes(voter) ? listed.at(-1) : { data })(response, request);
  });
  await within(30 * second, async () => expect(await member()).toMatchObject({ credits: 20, votes: 2 }));
  expect(await vote('808499215864008705')).toEqual(['duplicate', 'duplicate']);
});

it('what a site lists confirms one vote each, so that one forged before or beside it is not paid', async () => {
  const { site, clock, post, member, deliveries, within } = await startProgram({ site: 'infinity' });
  const voteAt = (at: number) => ({
    ...{ type: 'NEW_VOTE', creator: { id: voter }, data: { per_user: 1, downvote: false } },
    ...{ targets: { bot: { bot_id: botId } }, metadata: { created_at: Math.floor(at / second), test: false } },
  });
  site.respondWith(json(503, {}));
  const votedAt = clock.now();
  const [before, beside] = [votedAt - 7 * hour, votedAt - minute];
  for (const at of [before, beside, votedAt]) expect(await post(voteAt(at))).toBe('recorded');
  expect(await post(voteAt(before))).toBe('duplicate');
  const valid = [{ created_at: iso(votedAt), upvote: true }];
  site.respondWith(json(200, { has_voted: true, valid_votes: valid, vote_info: { vote_time: 6 } }));
  const judged = async () => {
    const rows = (await deliveries()).filter(({ outcome }) => outcome !== 'duplicate');
    expect(rows.map(({ outcome, credits }) => [outcome, credits].join(' '))).toEqual([
      'recorded 10',
      'quarantined 0',
      'quarantined 0',
    ]);
    expect(rows[1]).toMatchObject({ reason: refused });
  };
  await within(10 * minute, judged, 5 * second);
  await clock.advance(minute);
  expect(await member()).toMatchObject({ credits: 10, votes: 1 });
});

it('an older vote that the site still lists is paid although it counts no more', async () => {
  const { site, clock, post, member, within } = await startProgram({ site: 'infinity' });
  const votedAt = Math.floor(clock.now() / second) * second;
  const metadata = { created_at: votedAt / second, test: false };
  const targets = { bot: { bot_id: botId } };
  site.respondWith(json(503, {}));
  await post({ type: 'NEW_VOTE', creator: { id: voter }, data: {}, targets, metadata });
  clock.shiftWallClock(7 * hour);
  const valid = [{ created_at: iso(votedAt), upvote: true }];
  site.respondWith(json(200, { has_voted: false, valid_votes: valid, vote_info: { vote_time: 6 } }));
  await within(30 * second, async () => expect(await member()).toMatchObject({ credits: 10, votes: 1 }));
});

it('without times, "yes" confirms a vote if the site can mean no other one', async () => {
  const { site, clock, post, member, deliveries, within } = await startProgram({ site: 'botlistme', cooldownHours: 6 });
  const vote = { bot: botId, user: voter, type: 'Upvote' };
  site.respondWith(json(503, {}));
  expect(await post(vote)).toBe('recorded');
  await eventually(() => expect(site.requests.length).toBeGreaterThan(0));
  clock.shiftWallClock(7 * hour);
  expect(await post(vote)).toBe('recorded');
  // The site counts a vote for 12 hours, so that it may mean either.
  site.respondWith(json(200, { hasVoted: true }));
  const asked = site.requests.length;
  await within(minute, () => expect(site.requests.length).toBeGreaterThan(asked), 5 * second);
  expect(await member()).toMatchObject({ credits: 0, votes: 0 });
  clock.shiftWallClock(5 * hour);
  await within(21 * minute, async () => expect(await member()).toMatchObject({ credits: 10, votes: 1 }), minute);
  expect(await deliveries()).toMatchObject([{ outcome: 'recorded' }, { outcome: 'quarantined', reason: waiting }]);
  clock.shiftWallClock(6.5 * hour);
  expect(await post(vote)).toBe('recorded');
  await clock.advance(minute);
  expect(await member()).toMatchObject({ credits: 10, votes: 1 });
});

it('a list that no longer reaches back to a vote neither confirms nor denies it', async () => {
  const { site, clock, post, deliveries, within } = await startProgram({ site: 'discordbotlist' });
  site.respondWith(json(503, {}));
  expect(await post({ id: voter })).toBe('recorded');
  clock.shiftWallClock(3 * hour);
  const upvotes = Array.from({ length: 500 }, (_, index) => ({
    user_id: `2${String(index).padStart(17, '0')}`,
    timestamp: iso(clock.now() - index * second),
  }));
  site.respondWith(json(200, { upvotes, total: 4_000 }));
  const asked = site.requests.length;
  await within(minute, () => expect(site.requests.length).toBeGreaterThan(asked), 5 * second);
  await within(25 * minute, () => expect(site.requests.length).toBeGreaterThan(asked + 3), minute);
  expect(await deliveries()).toMatchObject([{ outcome: 'quarantined', reason: waiting }]);
  clock.shiftWallClock(day);
  const unknown = 'the site did not say within 24 hours whether the member has voted';
  await within(21 * minute, async () => expect(await deliveries()).toMatchObject([{ reason: unknown }]), minute);
});

it('tests need no confirmation, nor do votes without the setting', async () => {
  const { site, post, clock } = await startProgram();
  expect(await post({ ...vote, test: true })).toBe('test');
  const plain = await startProgram({ confirm: false });
  expect(await plain.post()).toBe('recorded');
  expect(await plain.member()).toMatchObject({ credits: 10 });
  await clock.advance(minute);
  expect([...site.requests, ...plain.site.requests]).toEqual([]);
});

it('a receiver of the package has votes confirmed as well', async () => {
  const site = await startFakeService();
  onTestFinished(() => site.close());
  site.respondWith(yes);
  const listing = { name: 'lamp', kind: 'bot', id: botId, site: 'discordplace', voteSecrets: ['secret'] } as const;
  const votes: string[] = [];
  const receiver = await createReceiver({
    listings: [{ ...listing, siteKey, confirm: true }],
    database: ':memory:',
    siteApiUrl: site.origin,
    handlers: { onVote: ({ userId, credits }) => void votes.push(`${userId} +${credits}`) },
  });
  onTestFinished(() => receiver.stop());
  await receiver.start({ listen: false });
  const body = JSON.stringify(vote);
  const request = new Request('https://bot.example/webhooks/lamp', {
    method: 'POST',
    headers: { authorization: 'secret' },
    body,
  });
  expect(await (await receiver.fetch(request)).json()).toMatchObject({ outcome: 'recorded' });
  await eventually(() => expect(votes).toEqual([`${voter} +10`]));
  expect(site.requests).toHaveLength(1);
});
