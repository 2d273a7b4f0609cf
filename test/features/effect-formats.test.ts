import { describe, expect, it } from 'vitest';
import { type Contents, parseContent, serializeContent } from '../../src/core/outbox/effect-kind.ts';
import { parseLastVotes } from '../../src/core/store/account-columns.ts';
import type { SqlModule } from '../../src/core/store/sql-module.ts';
import { storedFeatures } from '../../src/features/index.ts';

const announcement = {
  ...{ event: 'server_vote', test: false, listing: 'server', userId: '1', credits: 10, balance: 10 },
  ...{
    at: 1_767_175_200_000,
    nextVoteAt: null,
    streak: 1,
    calculation: null,
    reason: null,
    tier: null,
    giftedBy: null,
  },
};

/** A stored announcement with these values at the end. */
function announced(later: readonly unknown[]): string {
  return JSON.stringify([...Object.values(announcement), ...later]);
}

describe('stored JSON', () => {
  it.each([
    ['without a time', JSON.stringify(Object.values(announcement).slice(0, 6))],
    ['with null for a number', announced([[], []]).replace(String(announcement.at), 'null')],
    ['with a value of another type', announced([[], []]).replace('"1"', '1')],
    ['with a bonus without credits', announced([[['streak']], []])],
    ['with null for bonuses', announced([null, []])],
  ])('cannot read an announcement that is %s', (_, text) => {
    expect(parseContent(storedFeatures.effects, 'announcement', text)).toMatchObject({ kind: 'unreadable' });
  });

  it.each(['[]', 'null', '"server"', '{"server":"5"}', '{"server":null}'])('rejects %s as the last votes', (text) => {
    expect(() => parseLastVotes(text)).toThrow('last_votes');
  });
});

it('an announcement is the same after it was stored, each field with a value of its own', () => {
  const distinct = {
    ...{ event: 'event', test: true, listing: 'listing', userId: 'user', credits: 1, balance: 2, reason: 'reason' },
    ...{ at: 3, nextVoteAt: 4, tier: 'tier', giftedBy: 'giver', streak: 5, calculation: '10 × 2' },
    bonuses: [{ cause: 'streak', credits: 6, count: 7 }],
    roles: [
      { role: '8', until: 9 },
      { role: '10', until: null },
    ],
  };
  const plain = { ...distinct, streak: null, calculation: null, reason: null, tier: null, giftedBy: null };
  for (const content of [distinct, { ...plain, bonuses: [], roles: [] }, { ...plain, bonuses: [] }]) {
    const effect = { kind: 'announcement', content } as const;
    expect(parseContent(storedFeatures.effects, 'announcement', serializeContent(effect))).toEqual(effect);
  }
});

const member = { guildId: '1', userId: '2', role: '3' };

it.each<Contents>([
  { kind: 'role', content: member },
  { kind: 'directMessage', content: { userId: '2', message: { type: 'reminder', listing: 'server', dueAt: 1 } } },
  {
    kind: 'ownerReport',
    content: { channelId: '4', report: { type: 'roleFailed', ...member, reason: 'above', cause: 'above' } },
  },
  { kind: 'partyReward', content: { period: 'week 2026-W02', goal: 10, credits: 5, day: 20_454 } },
  { kind: 'partyPanel', content: { channelId: '4', period: 'week 2026-W02' } },
  { kind: 'partyReached', content: { channelId: '4', period: 'week 2026-W02', goal: 10, credits: 5 } },
  { kind: 'prizeSettlement', content: { communityId: 1, per: 'week', by: 'votes', firstDay: 20_458 } },
  {
    kind: 'prizesWon',
    content: {
      ...{ channelId: '4', per: 'week', by: 'votes', firstDay: 20_458, more: 1 },
      winners: [{ userId: '2', place: 1, score: 3, credits: 5, role: null }],
    },
  },
  { kind: 'raffleDraw', content: { communityId: 1, raffleId: '5' } },
  { kind: 'raffleOpened', content: { channelId: '4', communityId: 1, raffleId: '5' } },
  { kind: 'raffleDrawn', content: { channelId: '4', communityId: 1, raffleId: '5' } },
])('the contents of the kind $kind are the same after they were stored, and unreadable without a field', (effect) => {
  expect(parseContent(storedFeatures.effects, effect.kind, serializeContent(effect))).toEqual(effect);
  for (const field of Object.keys(effect.content)) {
    const text = JSON.stringify({ ...effect.content, [field]: undefined });
    expect(parseContent(storedFeatures.effects, effect.kind, text)).toMatchObject({ kind: 'unreadable' });
  }
});

it.each([
  ['of an unknown kind', 'medal', '{}'],
  ['of a kind that every object has', 'toString', '{}'],
  ['of an unknown type', 'directMessage', '{"userId":"2","message":{"type":"card","listing":"server"}}'],
  ['with a type that every object has', 'directMessage', '{"userId":"2","message":{"type":"valueOf"}}'],
  ['with null for an object', 'ownerReport', '{"channelId":"4","report":null}'],
])('contents %s are unreadable, with the reason', (_, kind, text) => {
  expect(parseContent(storedFeatures.effects, kind, text)).toEqual({
    kind: 'unreadable',
    reason: expect.stringContaining(kind),
  });
});

const modules = Object.entries<SqlModule>(storedFeatures.modules);

it.each(modules)('the reads and writes of %s have different names, because its client has both', (_, module) => {
  const { reads, writes } = module;
  expect(Object.keys(reads).filter((name) => Object.hasOwn(writes, name))).toEqual([]);
});
