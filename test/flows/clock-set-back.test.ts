import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { fingerprint } from '../../src/lookup/budget.ts';
import { hour, minute, second } from '../../src/platform/durations.ts';
import { running } from '../service/running.ts';
import { journey } from '../support/journey.ts';
import { laterClock } from '../support/later-clock.ts';

const patience = { timeout: 15_000, interval: 50 };

async function tallyhook() {
  const clock = laterClock();
  const all = await journey({}, clock);
  const { discord, post, environment, url } = all;
  await vi.waitFor(() => expect(discord.commands().length).toBe(3), patience);
  const { announcements, general } = discord.channels;
  const vote = async (userId: string, at = clock.now()) => {
    const timestamp = new Date(at).toISOString();
    return (await post('/webhooks/vote', { event: 'server_vote', userId, timestamp })).json['outcome'];
  };
  const voters = () =>
    discord
      .messages(announcements)
      .flatMap(({ embeds }) => embeds)
      .map(({ description }) => Number(/<@(\d+)>/.exec(description ?? '')?.[1]))
      .sort((a, b) => a - b);
  const ask = async (name: string) => {
    const used = discord.runCommand({ name, options: {}, userId: discord.members[0]?.id ?? '', channelId: general });
    return JSON.stringify((await used.settled).embeds);
  };
  const owner = async (path: string) => {
    const headers = { authorization: `Bearer ${environment['OWNER_TOKEN']}` };
    return (await fetch(`${url}/owner/api${path}`, { headers })).json();
  };
  const ready = async () => (await fetch(`${url}/readyz`)).status;
  return { ...all, clock, vote, voters, ask, owner, ready };
}

describe('when the clock is set back by an hour', { timeout: 60_000 }, () => {
  it('announcements that wait, were put off or are under way go on within seconds, once each', async () => {
    const { discord, clock, vote, voters, owner, ready } = await tallyhook();
    const { announcements } = discord.channels;
    discord.faults.respond429(1, 2, /POST .*messages/);
    await vote('1');
    await vi.waitFor(async () => {
      expect(await owner('/effects?state=waiting')).toMatchObject({ effects: [{ attempts: 1 }] });
    }, patience);
    await vote('2');
    clock.set(-hour);
    await vi.waitFor(() => expect(voters()).toEqual([1, 2]), patience);

    discord.faults.loseAnswers(1, /POST .*messages/);
    await vote('3');
    await vi.waitFor(() => expect(voters()).toContain(3), patience);
    clock.set(-hour);
    await vote('4', clock.now() + 4 * minute);
    await vi.waitFor(
      async () => expect(await owner('/effects?state=waiting')).toMatchObject({ effects: [] }),
      patience,
    );
    expect(voters()).toEqual([1, 2, 3, 4]);
    expect(discord.messages(announcements).length).toBeGreaterThan(0);
    expect(await ready()).toBe(200);
  });

  it.each([-hour, hour])(
    'or by %i ms, a used-up budget refuses members for no longer than it would have, and no shorter',
    async (step) => {
      const { clock, environment, ask } = await tallyhook();
      const database = new DatabaseSync(environment['DATABASE_URL']?.replace('sqlite:', '') ?? '', {
        timeout: 5 * second,
      });
      onTestFinished(() => database.close());
      const insert = database.prepare('insert into lookup_requests (key_id, at) values (?, ?)');
      for (let sent = 0; sent < 120; sent += 1)
        insert.run(fingerprint(environment['LOOKUP_SERVER_KEY'] ?? ''), clock.now());
      clock.set(step);
      expect(await ask('reviews')).toContain('That did not work');
      clock.pass(50 * second);
      expect(await ask('reviews')).toContain('That did not work');
      clock.pass(25 * second);
      expect(await ask('reviews')).not.toContain('That did not work');
    },
  );

  it("the service's own limit refuses a key for no longer than a minute", async () => {
    const { get, keys, clock } = await running();
    const get120 = () => Promise.all(Array.from({ length: 120 }, () => get('/server', { 'X-API-Key': keys.server })));
    await get120();
    clock.set(-hour);
    const refused = await get('/server', { 'X-API-Key': keys.server });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
    clock.leap(minute);
    expect((await get120()).filter(({ status }) => status !== 200)).toEqual([]);
  });

  it('votes that seem to come from the future are kept, and recorded by themselves when it is set right', async () => {
    const { app, clock, vote, voters, lines } = await tallyhook();
    clock.set(-hour);
    expect(await vote('7', clock.now() + hour)).toBe('quarantined');
    expect(await app.ledger.account('7')).toMatchObject({ credits: 0 });
    clock.set(hour);
    await vi.waitFor(
      async () => expect(await app.ledger.account('7')).toMatchObject({ credits: 10, votes: 1 }),
      patience,
    );
    await vi.waitFor(() => expect(voters()).toEqual([7]), patience);
    expect(lines.filter((line) => line.includes('its time has come'))).toHaveLength(1);
  });
});
