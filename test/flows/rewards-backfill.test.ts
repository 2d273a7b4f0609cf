import { describe, expect, it } from 'vitest';
import { accountOf, firstCommunity } from '../support/communities.ts';
import { newSqliteUrl } from '../support/new-sqlite.ts';
import { installation, openLedger, runRewards } from '../support/voting.ts';
import { backfill, castVotes, expectBackfill, rules } from './backfilled-rewards.ts';

describe('tallyhook rewards backfill', () => {
  it('pays what the rules would have paid from the first vote on, once', () => expectBackfill(newSqliteUrl()));

  it('pays nothing without a confirmation', async () => {
    const url = newSqliteUrl();
    const store = await openLedger(url);
    await castVotes(store, installation(url, { vote: 10 }), 0, 3);
    const community = installation(url, rules);
    expect(await runRewards(community, 'backfill')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/3 members would receive .*[\s\S]*Use --yes/),
    });
    expect(await store.ledgerIn(firstCommunity).account('1')).toMatchObject({ credits: 50 });
  });

  it('writes the reason into the entries', async () => {
    const url = newSqliteUrl();
    const store = await openLedger(url);
    await castVotes(store, installation(url, { vote: 10 }), 0, 3);
    await backfill(installation(url, rules), '--yes');
    const entries = await store.records.entries(accountOf('1'), 10);
    expect(entries.filter(({ cause }) => cause !== 'vote').map(({ cause, reason }) => [cause, reason])).toEqual(
      expect.arrayContaining([
        ['streak', '3 days on 2026-01-07, before the rules'],
        ['milestone', '2 votes, before the rules'],
        ['allListings', '2026-01-05, before the rules'],
      ]),
    );
  });
});
