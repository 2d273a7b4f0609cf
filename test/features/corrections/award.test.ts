import { collectingLog } from '@tallyhook/platform/testing/collecting-log';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { describe, expect, it } from 'vitest';
import { award } from '../../../commands/award.ts';
import type { OptionValue } from '../../../src/discord/commands/reply.ts';
import { createAwards } from '../../../src/features/corrections/parts.ts';
import { contextFor, inputOf, memberId, otherMemberId, start } from '../../support/command-fixture.ts';
import { accountOf, firstCommunity } from '../../support/communities.ts';
import { newSqliteUrl } from '../../support/new-sqlite.ts';
import { openLedger } from '../../support/voting.ts';

/** `/award` over its own database, run by a manager. */
async function withAccounts() {
  const clock = manualClock(start);
  const store = await openLedger(newSqliteUrl(), clock);
  const { log, logged } = collectingLog();
  const context = {
    ...contextFor(),
    awards: createAwards({ store, clock, log }, firstCommunity),
  };
  let interactions = 0;
  const run = async (options: Record<string, OptionValue>, givenId?: string) => {
    interactions += 1;
    const interactionId = givenId ?? `10${interactions}`;
    const complete = { user: otherMemberId, credits: 50, reason: 'Event won', ...options };
    const reply = await award.execute(inputOf(complete, { isManager: true, interactionId }), context);
    if ('kind' in reply) throw new Error('It has opened a form.');
    return reply;
  };
  const credits = async () => (await store.ledgerIn(firstCommunity).account(otherMemberId)).credits;
  return { run, credits, store, logged };
}

describe('/award', () => {
  it('adds credits and replies with the balance', async () => {
    const { run, credits } = await withAccounts();
    await run({ credits: 1 });
    const reply = await run({ credits: 1_200 });
    expect(reply).toMatchObject({
      tone: 'good',
      text: `<@${otherMemberId}> now has **1,201** credits (+1,200).\nReason: Event won`,
    });
    expect(await credits()).toBe(1_201);
  });

  it('subtracts credits, but not more than the balance', async () => {
    const { run, credits } = await withAccounts();
    await run({ credits: 30 });
    expect((await run({ credits: -1 })).text).toContain(`<@${otherMemberId}> now has **29** credits (−1).`);
    expect(await run({ credits: -30 })).toMatchObject({
      tone: 'bad',
      text: `<@${otherMemberId}> has only **29** credits, and a balance cannot be less than zero. Nothing was changed.`,
    });
    expect(await credits()).toBe(29);
  });

  it('changes the account once per interaction', async () => {
    const { run, credits } = await withAccounts();
    const replies = [await run({}, '7'), await run({}, '7')];
    expect(replies[1]).toEqual(replies[0]);
    expect(await credits()).toBe(50);
    await expect(run({ credits: 51 }, '7')).rejects.toThrow('another correction');
    expect(await credits()).toBe(50);
  });

  it('is an entry of the account with its reason, and names the author in the log', async () => {
    const { run, store, logged } = await withAccounts();
    await run({ reason: ' Event\n**won**\0 ' });
    const entries = (await store.records.entries(accountOf(otherMemberId), 10)).map(({ cause, credits, reason }) => ({
      cause,
      credits,
      reason,
    }));
    expect(entries).toEqual([{ cause: 'correction', credits: 50, reason: 'Event **won**' }]);
    expect(logged).toMatchObject([{ user: otherMemberId, credits: 50, balance: 50, author: memberId }]);
  });

  it.each([{ credits: 1.5 }, { credits: 1_000_001 }, { user: '../x' }, { reason: ' \u200B ' }])(
    'rejects %j',
    async (options) => {
      const { run, credits } = await withAccounts();
      expect(await run(options)).toMatchObject({
        tone: 'bad',
        text: expect.stringContaining('whole number of credits'),
      });
      expect(await credits()).toBe(0);
    },
  );
});
