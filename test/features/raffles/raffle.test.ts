import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { day, hour, second } from '@tallyhook/platform/durations';
import { createOffsetClock } from '@tallyhook/platform/testing/offset-clock';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { describe, expect, it, vi } from 'vitest';
import { weekOf } from '../../../src/core/rewards/calendar.ts';
import { runCommand } from '../../support/command-line.ts';
import { voteSecret } from '../../support/listings.ts';
import { environmentWith } from '../../support/listings-file.ts';
import { localDiscord } from '../../support/local-discord.ts';
import { textOf } from '../../support/message-text.ts';
import { postVote, startApp } from '../../support/start-app.ts';
import { recompute } from './drawing.ts';

const publicUrl = 'https://votes.example';
const patience = { timeout: 30 * second, interval: 50 };
/** The end of the week of the clock, which begins as the one of this machine (ms since the epoch). */
const endOfWeek = (now: number) => (weekOf(Math.floor(now / day)) + 7) * day;

async function startRaffle() {
  const clock = createOffsetClock();
  const discord = await localDiscord({ rateLimits: false });
  const { guildId, channels } = discord;
  const listing = {
    ...{ name: 'harbour', kind: 'server', id: guildId, guildId, lookupKey: 'key-for-tests', voteSecrets: [voteSecret] },
    ...{ announceChannelId: channels.announcements, announcements: { mode: 'none' } },
    rewards: { raffle: { per: 'week', winners: 1, credits: 300, maxTickets: 14 } },
  };
  const environment = {
    ...environmentWith([listing]),
    ...{ DISCORD_TOKEN: discord.token, DISCORD_API_URL: discord.apiUrl, DISCORD_GUILD_ID: guildId },
    PUBLIC_URL: publicUrl,
  };
  const { url } = await startApp(environment, { clock });
  const announced = (text: string) =>
    vi.waitFor(() => {
      const found = discord.messages(channels.announcements).find((message) => textOf(message).includes(text));
      if (found === undefined) throw new Error(`no message with ${text}`);
      return found;
    }, patience);
  const use = async (userId: string) => {
    await vi.waitFor(() => expect(discord.commands().map(({ name }) => name)).toContain('raffle'), patience);
    return textOf(await discord.runCommand({ name: 'raffle', userId, channelId: channels.general }).settled);
  };
  return { clock, discord, url, announced, use };
}

describe('a raffle in Discord', { timeout: 90 * second }, () => {
  it('is announced with its digest, drawn after the week, and published for everybody to check', async () => {
    const { clock, discord, url, announced, use } = await startRaffle();
    const [mira, tomas] = discord.members;
    if (mira === undefined || tomas === undefined) throw new Error('no members');
    const begun = textOf(await announced('A raffle has begun'));
    const path = /\(https:\/\/votes\.example(\/raffles\/[0-9a-f]{32}\.json)\)/.exec(begun)?.[1] ?? '';
    const commitment = /decides: `([0-9a-f]{64})`/.exec(begun)?.[1];
    const early = await fetch(url + path);
    expect([early.status, early.headers.get('cache-control')]).toEqual([404, 'no-store']);
    expect(await early.json()).toMatchObject({ error: expect.stringContaining('is drawn at'), commitment });

    expect((await postVote(url, tomas.id, { at: clock.now() })).json.outcome).toBe('recorded');
    const own = await use(tomas.id);
    expect(own).toContain('You have **1** ticket.');
    expect(own).toContain(`It ends <t:${endOfWeek(clock.now()) / 1_000}:R>`);
    const name = /you are `([0-9a-f]{20})`/.exec(own)?.[1] ?? '';
    expect(await use(mira.id)).toContain('You have no tickets yet.');

    clock.advance(endOfWeek(clock.now()) + hour + second - clock.now());
    const message = await announced('these members have won');
    const drawn = textOf(message);
    expect(drawn).toContain(`<@${tomas.id}> · **300** credits`);
    expect(JSON.stringify(message)).toContain(`${publicUrl}${path}`);
    const response = await fetch(url + path);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toContain('application/json');
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    const file = await response.text();
    expect(file).not.toContain(tomas.id);
    expect(file).not.toContain(discord.guildId);
    expect(recompute(file)).toEqual({ winners: [name], commitment });
    expect(drawn).toContain(JSON.parse(file).ticketsHash);

    const shown = await use(tomas.id);
    expect(shown).toContain(`You had **1** ticket, and were \`${name}\` in its list.`);
    expect(await use(mira.id)).not.toContain('in its list.');

    // The address has the file; another address, or a changed file, does not.
    expect(await runCommand(['raffle', 'verify', url + path])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`commitment ${commitment}`),
    });
    const other = `${url}/raffles/${'0'.repeat(32)}.json`;
    expect((await fetch(other)).status).toBe(404);
    expect(await runCommand(['raffle', 'verify', other])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('404'),
    });
    for (const wrong of [`/raffles/${'0'.repeat(32)}`, '/raffles/..%2f.json', '/raffles/', '/raffles/x.json']) {
      expect((await fetch(url + wrong)).status, wrong).toBe(404);
    }
    const statuses = await Promise.all(Array.from({ length: 40 }, async () => (await fetch(url + path)).status));
    expect(statuses).toContain(429);
  });
});

describe('tallyhook raffle verify', () => {
  it('rejects a file in which anything was changed, and another file', async () => {
    const { drawRaffle } = await import('../../../src/features/raffles/published.ts');
    const { commitmentOf } = await import('../../../src/features/raffles/draw.ts');
    const seed = '5'.repeat(64);
    const terms = {
      ...{ period: 'week 2026-W48', startsAt: '2026-11-22T23:00:00.000Z', endsAt: '2026-11-29T23:00:00.000Z' },
      ...{ openedAt: '2026-11-22T23:00:04.000Z', places: 1, credits: 300, ticketsPerVote: 1, maxTickets: 14 },
      commitment: commitmentOf(seed),
    };
    const tickets = ['1', '2', '3'].map((digit) => ({ member: digit.repeat(20), tickets: 2 }));
    const { file, winners } = drawRaffle(terms, { seed, tickets });
    const directory = tempDir();
    const verify = (text: string, ...options: readonly string[]) => {
      const path = join(directory, 'raffle.json');
      writeFileSync(path, text);
      return runCommand(['raffle', 'verify', path, ...options]);
    };
    const good = await verify(file, '--json');
    expect(good.code).toBe(0);
    expect(JSON.parse(good.stdout)).toMatchObject({ pass: true, period: terms.period, winners, problems: [] });
    expect((await verify(file)).stdout).toContain(`3 members with 6 tickets\n1. ${winners[0]}\nEverything follows`);
    const [loser = ''] = tickets.map(({ member }) => member).filter((member) => !winners.includes(member));
    const forged = await verify(file.replace(`"${winners[0]}"\n`, `"${loser}"\n`));
    expect([forged.code, forged.stdout]).toEqual([1, expect.stringContaining('winners does not follow')]);
    const more = await verify(file.replace('"tickets":2', '"tickets":3'), '--json');
    expect([more.code, JSON.parse(more.stdout)]).toMatchObject([1, { pass: false }]);
    expect((await verify('{}')).stdout).toContain('This is no published raffle');
    expect((await runCommand(['raffle', 'verify', join(directory, 'missing.json')])).code).not.toBe(0);
    expect((await runCommand(['raffle', 'verify'])).code).toBe(2);
  });
});
