import { setTimeout as wait } from 'node:timers/promises';
import { type Clock, systemClock } from '@tallyhook/platform/clock';
import { day, hour, minute } from '@tallyhook/platform/durations';
import { eventually } from '@tallyhook/platform/testing/eventually';
import { createOffsetClock } from '@tallyhook/platform/testing/offset-clock';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { eventSchema } from '../../../src/features/events/schemas.ts';
import { postVote, startApp } from '../../support/start-app.ts';
import { eventReceiver, type Received, sendVote, voteSecret } from './receiving.ts';

const secret = `whsec_${Buffer.from('a key of some bytes, for tests').toString('base64')}`;
const older = `whsec_${Buffer.from('the key that is being replaced').toString('base64')}`;
const member = '80351110224678912';

/** A process that only receives, without a bot token, as it runs beside a bot in another language. */
async function sidecar(environment: Readonly<Record<string, string>>, clock: Clock = systemClock) {
  const { app, url } = await startApp(
    {
      ...{ TALLYHOOK_ROLES: 'receive', VOTE_WEBHOOK_SECRET: voteSecret, CREDITS_PER_VOTE: '10' },
      ...{ DISCORD_GUILD_ID: '613425648685547541', ...environment },
    },
    { clock },
  );
  let minutes = 10;
  return {
    app,
    url,
    /** A vote of a member, a minute after the last one. */
    vote(userId = member) {
      minutes -= 1;
      return sendVote(url, userId, minutes);
    },
  };
}

function verified({ headers, body }: Received, key = secret) {
  return new Webhook(key).verify(body, headers as Record<string, string>);
}

test('a vote reaches a program in any language, signed by Standard Webhooks, and only once if it accepts it', async () => {
  const { url, received } = await eventReceiver(204);
  const { vote } = await sidecar({
    ...{ WEBHOOK_URL: url, WEBHOOK_SECRET: `${secret},${older}`, WEBHOOK_PRIVATE_TARGETS: 'on' },
    WEBHOOK_EVENTS: 'vote.recorded',
  });
  await vote();
  await vote();
  await eventually(() => expect(received).toHaveLength(1));
  const [first] = received as [Received];
  const event = eventSchema('vote.recorded').parse(verified(first));
  expect(verified(first, older)).toEqual(event);
  expect(() => verified({ ...first, body: first.body.replace('10', '11') })).toThrow();
  expect(first.headers['webhook-id']).toBe(`msg_${event.data.id}`);
  expect(event.data).toMatchObject({
    ...{ guildId: '613425648685547541', userId: member, listing: 'server', site: 'service', kind: 'server' },
    ...{ credits: 10, balance: 10, votes: 1, streak: 1, milestones: [], reason: null, denied: false },
  });
});

test('a request that fails is repeated with the same id, and an endpoint outside of the internet gets nothing', async () => {
  const { url, received } = await eventReceiver(500, 200);
  const open = await sidecar({ WEBHOOK_URL: url, WEBHOOK_SECRET: secret, WEBHOOK_PRIVATE_TARGETS: 'on' });
  await open.vote();
  await eventually(() => expect(received).toHaveLength(2));
  expect(received[1]?.headers['webhook-id']).toBe(received[0]?.headers['webhook-id']);
  expect(received[1]?.body).toBe(received[0]?.body);
  const closed = await sidecar({ WEBHOOK_URL: url, WEBHOOK_SECRET: secret });
  await closed.vote('80351110224678913');
  await eventually(async () => {
    const effects = await closed.app.ledger.entries('80351110224678913');
    expect(effects).toHaveLength(1);
  });
  expect(received).toHaveLength(2);
}, 20_000);

test('a process that only receives tells of a streak that has ended, once, after the day without a vote', async () => {
  const { url, received } = await eventReceiver(204);
  const clock = createOffsetClock();
  // Half an hour before the end of the day, on which the member does not vote.
  clock.shiftWallClock(day - (clock.now() % day) - hour / 2);
  const { url: program } = await sidecar(
    {
      ...{ WEBHOOK_URL: url, WEBHOOK_SECRET: secret, WEBHOOK_PRIVATE_TARGETS: 'on' },
      WEBHOOK_EVENTS: 'streak.ended',
    },
    clock,
  );
  for (const daysAgo of [2, 1])
    await postVote(program, member, { secret: voteSecret, at: clock.now() - daysAgo * day });
  // In steps, because a longer one would look like an outage of the program.
  for (let minutes = 0; minutes < 60; minutes += 5) {
    clock.advance(5 * minute);
    await wait(100);
  }
  await eventually(() => expect(received.length).toBeGreaterThan(0));
  const ended = received.map((request) => eventSchema('streak.ended').parse(JSON.parse(request.body)));
  expect(new Set(ended.map(({ data }) => data.id)).size).toBe(1);
  const endedOn = new Date(clock.now() - day).toISOString().slice(0, 10);
  expect(ended[0]?.data).toMatchObject({ userId: member, days: 2, endedOn, guildId: '613425648685547541' });
});
