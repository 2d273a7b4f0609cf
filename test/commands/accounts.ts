import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import type { CommandContext } from '../../commands/context.ts';
import type { ListedLookup } from '../../src/discord/commands/command.ts';
import { contextFor, start } from '../support/command-fixture.ts';
import { firstCommunity } from '../support/communities.ts';
import { serverAndBot } from '../support/listings.ts';
import { newSqliteUrl } from '../support/new-sqlite.ts';
import { recordVote } from '../support/record-vote.ts';
import { openLedger } from '../support/voting.ts';

type Listings = ReturnType<typeof serverAndBot>;

/** The context of commands over its own database, with a server and a bot, and votes for them. */
export async function withAccounts(listings: Listings = serverAndBot(), lookups: readonly ListedLookup[] = []) {
  const clock = manualClock(start);
  const store = await openLedger(newSqliteUrl(), clock);
  const context: CommandContext = {
    ...contextFor(...lookups),
    clock,
    standings: store.standingsIn(firstCommunity, 'UTC'),
    rules: listings.map(({ name, kind, rewards }) => ({
      ...{ name, kind, cooldownMs: rewards.base.cooldownMs, milestones: rewards.milestones },
    })),
  };
  /** Records a vote that arrives at its own time (ms since the epoch). */
  async function castVote(userId: string, at: number, name = 'server') {
    const listing = listings.find((each) => each.name === name);
    if (listing === undefined) throw new Error('no listing');
    return recordVote(store, listing, userId, at);
  }
  let corrections = 0;
  async function correct(userId: string, credits: number, reason = 'test') {
    corrections += 1;
    await store.recorder.correct(
      { communityId: firstCommunity, userId, credits, reason, at: clock.now() },
      `correction ${corrections}`,
    );
  }
  return { context, clock, store, castVote, correct };
}
