import { day, minute } from '@tallyhook/platform/durations';
import { describe, expect, it } from 'vitest';
import { leaderboard } from '../../commands/leaderboard.ts';
import type { OptionValue, ReplySelect } from '../../src/discord/commands/reply.ts';
import { createDecorations, createKnownGuilds } from '../../src/discord/known-guilds.ts';
import { createDiscordRest } from '../../src/discord/rest.ts';
import { inputOf, memberId, otherMemberId, start } from '../support/command-fixture.ts';
import { localDiscord } from '../support/local-discord.ts';
import { buttonsOf, selectsOf, textOf } from '../support/reply-parts.ts';
import { withAccounts } from './accounts.ts';

/** Member number 1 has the most credits. */
async function withMembers(count: number) {
  const accounts = await withAccounts();
  for (let number = 1; number <= count; number += 1) await accounts.correct(String(100 + number), 1_000 - number);
  const run = (options: Record<string, OptionValue> = {}, userId = memberId) =>
    leaderboard.execute(inputOf(options, { userId }), accounts.context);
  return { ...accounts, run };
}

describe('/leaderboard', () => {
  it('shows ten members, the own line, and the buttons of the first page', async () => {
    const { run, correct } = await withMembers(12);
    await correct('50', 999);
    await correct(memberId, 1);
    const reply = await run();
    expect(reply.title).toBe('Most credits');
    const [list, own] = textOf(reply).split('\n\n');
    expect(list?.split('\n')).toEqual([
      '🥇 **#1** <@50> · **999** credits',
      '🥇 **#1** <@101> · **999** credits',
      '🥉 **#3** <@102> · **998** credits',
      ...Array.from({ length: 7 }, (_, index) => `**#${index + 4}** <@${103 + index}> · **${997 - index}** credits`),
    ]);
    expect(own).toBe(`**#14** <@${memberId}> · **1** credit`);
    expect(reply.footer).toBe('page 1 of 2 · 14 members');
    const options = { period: 'all', by: 'credits' };
    expect(buttonsOf(reply)).toEqual([
      { kind: 'page', label: 'Previous', disabled: true, options: { ...options, page: 0 } },
      { kind: 'page', label: 'Me', disabled: false, options: { ...options, page: 'me' } },
      { kind: 'page', label: 'Next', disabled: false, options: { ...options, page: 2 } },
    ]);
    expect(reply.at).toBeUndefined();
  });

  it('gives each rank one medal, however many members share it, also in the own line', async () => {
    const { context, correct } = await withAccounts();
    for (let number = 0; number < 11; number += 1) await correct(String(100 + number), number === 0 ? 9 : 5);
    await correct(memberId, 5);
    const reply = await leaderboard.execute(inputOf(), context);
    const [list, own] = textOf(reply).split('\n\n');
    expect(list?.split('\n')).toEqual([
      '🥇 **#1** <@100> · **9** credits',
      ...Array.from({ length: 9 }, (_, index) => `🥈 **#2** <@${101 + index}> · **5** credits`),
    ]);
    expect(own).toBe(`🥈 **#2** <@${memberId}> · **5** credits`);
  });

  it('names members who have left, whose mention would be a number, and lets their names do no harm', async () => {
    const { correct, context } = await withAccounts();
    const { clock } = context;
    const people = ['ada', '**@everyone**'].map((username, index) => ({ id: `30000000000000000${index}`, username }));
    const discord = await localDiscord({ people, rateLimits: false });
    const rest = createDiscordRest({ token: discord.token, apiUrl: discord.apiUrl });
    const { findDeparted: find } = createDecorations({
      ...{ rest, guilds: createKnownGuilds(rest, clock), requestsPerSecond: () => 50, clock },
    });
    const findDeparted = (guildId: string | null, ids: readonly string[]) => find({ guildId: guildId ?? '' }, ids);
    for (const { id } of people) await correct(id, 10);
    discord.guild.leave(people[1]?.id ?? '');
    const input = inputOf({}, { guildId: discord.guildId });
    const text = textOf(await leaderboard.execute(input, { ...context, findDeparted }));
    expect(text).toContain('**#1** <@300000000000000000>');
    expect(text).not.toContain('300000000000000001');
    expect(text).toMatch(/\\\*\\\*.*everyone/);
    expect(text).not.toContain('@everyone');
  });

  it("jumps to the presser's page, and shows the presser's line on every other page", async () => {
    const { run } = await withMembers(25);
    const own = await run({ page: 'me' }, '117');
    expect(own).toMatchObject({ footer: 'page 2 of 3 · 25 members' });
    expect(textOf(own).split('\n')).toHaveLength(10);
    expect(textOf(own)).toMatch(/^\*\*#11\*\* <@111> · .*\n\*\*#17\*\* <@117> · \*\*983\*\* credits\n/s);
    const last = await run({ page: '3' }, '101');
    expect(textOf(last)).toMatch(/^\*\*#21\*\* <@121> · .*\n\n🥇 \*\*#1\*\* <@101> · \*\*999\*\* credits$/s);
    expect(buttonsOf(last).map((button) => 'disabled' in button && button.disabled)).toEqual([false, false, true]);
    const unranked = await run({ page: 'me' });
    expect(unranked).toMatchObject({ footer: 'page 1 of 3 · 25 members' });
    expect(textOf(unranked)).toMatch(new RegExp(`\\n\\n<@${memberId}> is not ranked here yet\\.$`));
  });

  it('shows the last page if there are fewer than when the button was shown', async () => {
    const { run } = await withMembers(11);
    for (const page of ['9', '99999999999', 1e15]) {
      const reply = await run({ page });
      expect(reply.footer).toBe('page 2 of 2 · 11 members');
      expect(textOf(reply)).toMatch(/^\*\*#11\*\* <@111> · \*\*989\*\* credits\n\n/);
    }
    expect((await run({ page: '-1' })).footer).toBe('page 1 of 2 · 11 members');
    expect((await run({ page: 'x', by: 'x', period: 'x' })).title).toBe('Most credits');
  });

  it('ranks by votes and streak, of a period', async () => {
    const { context, clock, castVote } = await withAccounts();
    await castVote(memberId, start);
    await castVote(memberId, start + day);
    await castVote(otherMemberId, start + day);
    await clock.advance(day);
    const run = (options: Record<string, OptionValue>) => leaderboard.execute(inputOf(options), context);
    const votes = await run({ by: 'votes', period: 'week' });
    expect(votes.title).toBe('Most votes this week');
    expect(textOf(votes)).toBe(`🥇 **#1** <@${memberId}> · **2** votes\n🥈 **#2** <@${otherMemberId}> · **1** vote`);
    const streak = await run({ by: 'streak' });
    expect(streak.title).toBe('Longest current streaks');
    expect(textOf(streak)).toBe(`🥇 **#1** <@${memberId}> · **2** days\n🥈 **#2** <@${otherMemberId}> · **1** day`);
    expect(textOf(await run({ by: 'credits', period: 'month' }))).toContain(`**#1** <@${memberId}> · **20** credits`);
  });

  it('says that nobody is ranked', async () => {
    const { context } = await withAccounts();
    const reply = await leaderboard.execute(inputOf(), context);
    expect(textOf(reply)).toBe('Nobody is ranked here yet. Be the first!');
    expect(reply.footer).toBe(undefined);
    expect([selectsOf(reply), buttonsOf(reply)]).toEqual([[], []]);
    // Others may have voted earlier.
    expect(selectsOf(await leaderboard.execute(inputOf({ period: 'week' }), context))).toHaveLength(2);
  });

  it('shows the time of a ranking that is not of this moment', async () => {
    const { context } = await withAccounts();
    const board = { period: 'all', by: 'votes' } as const;
    const rest = { members: [], moreTied: 0, offset: 0, total: 0, sum: 0, own: null, isCurrent: false };
    const page = { board, userId: memberId, asOf: start - minute, ...rest };
    const standings = { ...context.standings, leaderboard: async () => page };
    expect((await leaderboard.execute(inputOf(), { ...context, standings })).at).toBe(start - minute);
  });

  it('has a select of the period and one of the score, each of which keeps the other', async () => {
    const { context, clock, castVote } = await withAccounts();
    await castVote(memberId, start);
    await clock.advance(day);
    const first = await leaderboard.execute(inputOf({ period: 'month', by: 'votes', page: '2' }), context);
    const [period, by] = selectsOf(first);
    expect(period).toMatchObject({
      ...{ action: 'period', options: { by: 'votes' } },
      choices: [{ value: 'week' }, { value: 'month', selected: true }, { value: 'all', selected: false }],
    });
    expect(by).toMatchObject({
      ...{ action: 'by', options: { period: 'month' } },
      choices: [{ value: 'votes', selected: true }, { value: 'credits' }, { value: 'streak' }],
    });
    const pick = (select: ReplySelect | undefined, value: string) => {
      const { action = '', options = {} } = select ?? {};
      return leaderboard.execute(inputOf(options, { action, values: [value] }), context);
    };
    expect(await pick(period, 'week')).toMatchObject({ title: 'Most votes this week', response: 'update' });
    expect(await pick(by, 'credits')).toMatchObject({ title: 'Most credits this month', response: 'update' });
    expect(await pick(by, 'nonsense')).toMatchObject({ title: 'Most credits this month' });
    expect(leaderboard.actions).toEqual(['period', 'by', 'community']);
  });
});
