import { day, hour } from '@tallyhook/platform/durations';
import { describe, expect, it } from 'vitest';
import type { Command } from '../../commands/context.ts';
import { credits } from '../../commands/credits.ts';
import { causeName, entryReason } from '../../commands/entry-reason.ts';
import { remind } from '../../commands/remind.ts';
import { shop } from '../../commands/shop.ts';
import type { Cause } from '../../src/core/ledger/entry.ts';
import { plainRewards } from '../../src/core/rewards/rules.ts';
import { textsIn } from '../../src/texts/texts.ts';
import { fakeLookup, inputOf, memberId, otherMemberId, server, start } from '../support/command-fixture.ts';
import { ledgerOver } from '../support/ledger.ts';
import { serverAndBot } from '../support/listings.ts';
import { withAccounts } from './accounts.ts';

const seconds = (ms: number) => Math.floor(ms / 1_000);
const base = { perVote: 10, perPremium: 100, whenDenied: 0, cooldownMs: 12 * hour };
const milestones = [
  { votes: 5, repeats: 'once', credits: 100, role: '71' },
  { votes: 5, repeats: 'every', credits: 7, role: null },
] as const;
const lookups = [{ name: 'server', lookup: fakeLookup('server', { profile: async () => server }) }];

function fieldsOf(reply: Awaited<ReturnType<typeof credits.execute>>) {
  return Object.fromEntries(reply.fields.map(({ name, value }) => [name, value]));
}

describe('/credits', () => {
  it('shows balance, rank, streak, next votes and milestone, and the newest entries', async () => {
    const listings = serverAndBot({ rewards: { ...plainRewards(base), milestones } });
    const { context, clock, castVote, correct } = await withAccounts(listings, lookups);
    await castVote(otherMemberId, start);
    await correct(otherMemberId, 1_500);
    await castVote(memberId, start);
    await clock.advance(day);
    await castVote(memberId, clock.now());
    await correct(memberId, -5, 'Spam @everyone');
    const reply = await credits.execute(inputOf(), context);
    expect(reply).toMatchObject({ tone: 'plain', title: 'Credits' });
    expect(reply.text).toBe(
      `**15** credits · rank **#2**\nStreak: **2** days, ends <t:${seconds(start + 3 * day)}:R> without another vote`,
    );
    expect(fieldsOf(reply)).toEqual({
      'Next vote': `**Lantern Harbour**: from <t:${seconds(start + day + 12 * hour)}:t>\n**bot**: now`,
      'Next milestone': 'At **5** votes, 3 more votes: +**107** credits, the role <@&71>',
      'Latest entries': [
        `**−5** · Correction (Spam @\u200Beveryone) · <t:${seconds(start + day)}:R>`,
        `**+10** · Vote: Lantern Harbour · <t:${seconds(start + day)}:R>`,
        `**+10** · Vote: Lantern Harbour · <t:${seconds(start)}:R>`,
      ].join('\n'),
    });
  });

  it('shows the next vote as the site of the listing has said it with the last one', async () => {
    const { context, clock, castVote } = await withAccounts(serverAndBot(), lookups);
    await castVote(memberId, start);
    await clock.advance(hour);
    const shown = async (votedAt: number) => {
      const nextVotesOf = async () => [{ listing: 'server', votedAt, nextVoteAt: start + 4 * hour }];
      return fieldsOf(await credits.execute(inputOf(), { ...context, nextVotesOf }))['Next vote'];
    };
    expect(await shown(start)).toContain(`from <t:${seconds(start + 4 * hour)}:t>`);
    expect(await shown(start - day)).toContain(`from <t:${seconds(start + 12 * hour)}:t>`);
  });

  it('names entries of a program by their reasons, in every language', async () => {
    const { context, store } = await withAccounts();
    const clock = { now: () => start };
    const ledger = ledgerOver(store, clock.now());
    await ledger.award({ userId: memberId, credits: 9, reason: 'quiz **night** @everyone', key: 'quiz 1' });
    await ledger.spend({ userId: memberId, credits: 4, reason: 'a sword', key: 'order 1' });
    await ledger.refund({ key: 'order 1', reason: 'no swords left' });
    await ledger.transfer({ from: memberId, to: otherMemberId, credits: 1, reason: 'a bet', key: 'bet 1' });
    for (const locale of ['en-US', 'de', 'ja'] as const) {
      const reply = await credits.execute(inputOf(), { ...context, texts: textsIn(locale) });
      expect(reply.fields.at(-1)?.value.replaceAll(/ · <t:\d+:R>/g, '')).toBe(
        '**−1** · a bet\n**+4** · no swords left\n**−4** · a sword\n**+9** · quiz \\*\\*night\\*\\* @\u200Beveryone',
      );
    }
  });

  it('does not name a role in direct messages, where it has no name', async () => {
    const { context } = await withAccounts(serverAndBot({ rewards: { ...plainRewards(base), milestones } }));
    const reply = await credits.execute(inputOf({}, { guildId: null }), context);
    expect(fieldsOf(reply)).toMatchObject({
      'Next milestone': expect.stringMatching(/: \+\*\*107\*\* credits, a role$/),
    });
  });

  it('shows an account without entries', async () => {
    const { context } = await withAccounts();
    const reply = await credits.execute(inputOf(), context);
    expect(reply.text).toBe('**0** credits\nNo streak at the moment');
    expect(fieldsOf(reply)).toEqual({ 'Next vote': '**server**: now\n**bot**: now', 'Latest entries': 'None yet' });
    expect(reply.buttons).toEqual([]);
  });

  it('shows the account of another member without buttons', async () => {
    const { context, castVote } = await withAccounts(serverAndBot(), lookups);
    await castVote(otherMemberId, start);
    const reply = await credits.execute(inputOf({ user: otherMemberId }), context);
    expect(reply.text).toContain(`<@${otherMemberId}>\n**10** credits · rank **#1**`);
    expect(reply.buttons).toEqual([]);
  });

  it('links the vote button to the listing that can be voted for first', async () => {
    const both = [
      ...lookups,
      {
        name: 'bot',
        lookup: fakeLookup('bot', {
          profile: async () =>
            ({ ...server, kind: 'bot', servers: 1, shards: 1, url: 'https://listing.example/bot/2' }) as never,
        }),
      },
    ];
    const { context, castVote } = await withAccounts(serverAndBot(), both);
    const voteLink = async () => (await credits.execute(inputOf(), context)).buttons;
    expect(await voteLink()).toEqual([{ kind: 'link', label: 'Vote', url: server.url }]);
    await castVote(memberId, start);
    expect(await voteLink()).toEqual([{ kind: 'link', label: 'Vote', url: 'https://listing.example/bot/2' }]);
  });

  it('offers reminders and the shop if those commands exist, are served and are ours', async () => {
    const { context } = await withAccounts();
    const offered = async (commands: readonly Command[]) =>
      (await credits.execute(inputOf(), { ...context, commands })).buttons;
    expect(await offered([{ ...remind, isServedBy: () => true }, shop])).toEqual([
      { kind: 'action', command: 'remind', action: 'on', label: 'Remind me' },
      { kind: 'action', command: 'shop', action: 'open', label: 'Shop' },
    ]);
    const own: Command = { ...credits, name: 'shop', actions: ['open'] };
    expect(await offered([remind, own])).toEqual([]);
  });
});

it('the cause of an entry that a later version has written has a name, and its reason is shown', () => {
  const de = textsIn('de');
  for (const cause of ['bounty', 'constructor']) {
    expect(causeName(cause, de)).toBe('Sonstiges');
    expect(entryReason(cause, 'from mira', de)).toBe('from mira');
  }
  expect(causeName('streak', de)).toBe(de.text('credits.causes.streak'));
});

describe('the reason of an entry', () => {
  it.each<[Cause, string, string]>([
    ['streak', '7 days on 2026-11-20', '**7** Tage'],
    ['milestone', '10 votes', '**10** Votes'],
    ['party', '1000 votes, week 2026-W47', '**1.000** Votes'],
    ['prize', 'place 2 by votes, month 2026-11', 'Platz **2** nach Votes'],
    ['raffle', 'week 2026-W47', '16.–22. November'],
    ['raffle', 'month 2026-11', '1.–30. November'],
    ['allListings', '2026-11-20', '20. November'],
    ['firstVote', '2026-11-20', '20. November'],
    ['correction', '5 votes for @everyone', '5 votes for @\u200Beveryone'],
  ])('of %s is translated where it is one of ours: %s', (cause, reason, text) => {
    expect(entryReason(cause, reason, textsIn('de'))).toBe(text);
  });

  it('is omitted if the cause says it all', () => {
    expect(entryReason('within_cooldown', 'within_cooldown', textsIn('de'))).toBe(null);
    expect(entryReason('vote', null, textsIn('de'))).toBe(null);
  });
});
