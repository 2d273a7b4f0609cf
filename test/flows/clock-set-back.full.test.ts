import { DatabaseSync } from 'node:sqlite';
import { hour, minute, second } from '@tallyhook/platform/durations';
import { createOffsetClock } from '@tallyhook/platform/testing/offset-clock';
import { sharedByTests } from '@tallyhook/platform/testing/on-finished';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { fingerprint } from '../../src/lookup/budget.ts';
import { startInstallation } from '../support/start-installation.ts';

const waitOptions = { timeout: 30_000, interval: 50 };

async function startApp() {
  const clock = createOffsetClock();
  const setup = await startInstallation({}, clock);
  const { discord, app, post, environment, url } = setup;
  await vi.waitFor(() => expect(discord.commands().length).toBe(app.commandData().length), waitOptions);
  const { announcements, general } = discord.channels;
  const vote = async (userId: string, at = clock.now()) => {
    const timestamp = new Date(at).toISOString();
    return (await post('/webhooks/vote', { event: 'server_vote', userId, timestamp })).json['outcome'];
  };
  /** Which of these have been announced, once for each announcement. */
  const announced = (...users: readonly string[]) =>
    discord
      .messages(announcements)
      .flatMap(({ embeds }) => embeds)
      .map(({ description }) => /<@(\d+)>/.exec(description ?? '')?.[1] ?? '')
      .filter((user) => users.includes(user))
      .sort();
  const readReviews = async (sort: string) => {
    const userId = discord.members[0]?.id ?? '';
    const interaction = discord.runCommand({ name: 'reviews', options: { sort }, userId, channelId: general });
    return JSON.stringify((await interaction.settled).embeds);
  };
  const owner = async (path: string) => {
    const headers = { authorization: `Bearer ${environment['OWNER_TOKEN']}` };
    return (await fetch(`${url}/owner/api${path}`, { headers })).json();
  };
  const ready = async () => (await fetch(`${url}/readyz`)).status;
  return { ...setup, clock, vote, announced, readReviews, owner, ready };
}

describe('when the clock is set back by an hour', { timeout: 60_000 }, () => {
  const shared = sharedByTests(startApp);

  it('waiting, postponed and pending announcements are sent within seconds, once each', async () => {
    const { discord, clock, vote, announced, owner, ready } = shared();
    discord.faults.respond429(1, 2, /POST .*messages/);
    await vote('1');
    await vi.waitFor(async () => {
      expect(await owner('/effects?state=waiting')).toMatchObject({ effects: [{ attempts: 1 }] });
    }, waitOptions);
    await vote('2');
    clock.shiftWallClock(-hour);
    clock.advance(5 * second);
    await vi.waitFor(() => expect(announced('1', '2')).toEqual(['1', '2']), waitOptions);

    discord.faults.loseAnswers(1, /POST .*messages/);
    await vote('3');
    await vi.waitFor(() => expect(announced('3')).toEqual(['3']), waitOptions);
    clock.shiftWallClock(-hour);
    await vote('4', clock.now() + 4 * minute);
    clock.advance(5 * second);
    await vi.waitFor(
      async () => expect(await owner('/effects?state=waiting')).toMatchObject({ effects: [] }),
      waitOptions,
    );
    expect(announced('1', '2', '3', '4')).toEqual(['1', '2', '3', '4']);
    expect(await ready()).toBe(200);
  });

  it.each([
    [-hour, 'newest'],
    [hour, 'highest'],
  ])(
    'or by %i ms, an exhausted budget recovers neither later nor earlier than without the change',
    async (step, notCached) => {
      const { clock, environment, readReviews } = shared();
      const database = new DatabaseSync(environment['DATABASE_URL']?.replace('sqlite:', '') ?? '', {
        timeout: 5 * second,
      });
      onTestFinished(() => database.close());
      const insert = database.prepare('insert into lookup_requests (key_id, at) values (?, ?)');
      for (let sent = 0; sent < 120; sent += 1)
        insert.run(fingerprint(environment['LOOKUP_SERVER_KEY'] ?? ''), clock.now());
      clock.shiftWallClock(step);
      expect(await readReviews(notCached)).toContain('That did not work');
      clock.advance(50 * second);
      expect(await readReviews(notCached)).toContain('That did not work');
      clock.advance(25 * second);
      expect(await readReviews(notCached)).not.toContain('That did not work');
    },
  );

  it('votes with a future timestamp are quarantined, and recorded automatically once it is corrected', async () => {
    const { app, clock, vote, announced, lines } = shared();
    clock.shiftWallClock(-hour);
    expect(await vote('7', clock.now() + hour)).toBe('quarantined');
    expect(await app.ledger.account('7')).toBe(null);
    clock.shiftWallClock(hour);
    clock.advance(10 * second);
    await vi.waitFor(
      async () => expect(await app.ledger.account('7')).toMatchObject({ credits: 10, votes: 1 }),
      waitOptions,
    );
    await vi.waitFor(() => expect(announced('7')).toEqual(['7']), waitOptions);
    expect(lines.filter((line) => line.includes('its timestamp was reached'))).toHaveLength(1);
  });
});
