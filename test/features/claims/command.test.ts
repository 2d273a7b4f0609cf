import { day, hour } from '@tallyhook/platform/durations';
import { createLog } from '@tallyhook/platform/log';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { describe, expect, it } from 'vitest';
import { claim } from '../../../commands/claim.ts';
import type { ListingWithSecrets } from '../../../src/core/receiving/listing.ts';
import type { ListedLookup } from '../../../src/discord/commands/command.ts';
import { createClaims } from '../../../src/features/claims/parts.ts';
import { guardsRule } from '../../../src/features/guards/rules.ts';
import type { CachedVoteStatus } from '../../../src/lookup/lookup.ts';
import { LookupError } from '../../../src/lookup/lookup-error.ts';
import type { Vote } from '../../../src/webhook/event.ts';
import { contextFor, fakeLookup, inputOf, memberId, server, start } from '../../support/command-fixture.ts';
import { firstCommunity } from '../../support/communities.ts';
import { guardsOver } from '../../support/guards.ts';
import { serverAndBot } from '../../support/listings.ts';
import { newSqliteUrl } from '../../support/new-sqlite.ts';
import { recordVote } from '../../support/record-vote.ts';
import { openLedger } from '../../support/voting.ts';

const noVote: CachedVoteStatus = { canVote: true, lastVoteAt: null, nextVoteAt: null };
const votedAt = (at: number): CachedVoteStatus => ({ canVote: false, lastVoteAt: at, nextVoteAt: at + 12 * hour });

/** `/claim` over its own database, with a service that reports this status. */
async function withService(first: CachedVoteStatus, site?: ListedLookup['site'], isSilent = false) {
  const clock = manualClock(start);
  const store = await openLedger(newSqliteUrl(), clock);
  let status: CachedVoteStatus | LookupError = first;
  let requests = 0;
  const lookup = fakeLookup('server', {
    profile: async () => server,
    voteStatus() {
      requests += 1;
      if (status instanceof LookupError) throw status;
      return status;
    },
  });
  const listed: ListedLookup = { name: 'server', lookup, site, isSilent };
  let listings: readonly ListingWithSecrets[] = serverAndBot();
  const log = createLog({ level: 'fatal', secrets: [] });
  const claims = createClaims({
    ...{ store, claimRecorder: store.recorder, compareTargets: async () => {}, clock, log },
    guards: guardsOver(store, listings, clock),
    directory: { find: (name) => listings.find((each) => each.name === name) },
    lookups: { find: (name) => [listed].find((each) => each.name === name), findSite: () => null },
  });
  const run = () => claim.execute(inputOf(), { ...contextFor(listed), clock, claims });
  async function vote(at: number, changes: Partial<Vote> = {}) {
    const [listing] = listings;
    if (listing === undefined) throw new Error('no listing');
    await recordVote(store, listing, memberId, at, changes);
  }
  return {
    ...{ run, vote, store, clock },
    report(next: CachedVoteStatus | LookupError) {
      status = next;
    },
    block(...blocked: readonly string[]) {
      const guards = guardsRule.as({ minAccountAgeMs: 0, membersOnly: false, blocked, hiddenRoles: [] });
      listings = serverAndBot().map((each) => ({ ...each, rewards: { ...each.rewards, ...guards } }));
    },
    requests: () => requests,
  };
}

describe('/claim', () => {
  it('records a vote that the service reports, once', async () => {
    const { run, store } = await withService(votedAt(start - hour));
    expect(await run()).toMatchObject({
      tone: 'good',
      text: expect.stringMatching(
        /confirms your vote for \*\*Lantern Harbour\*\* .*\n\+\*\*10\*\* credits\nBalance: \*\*10\*\*/s,
      ),
    });
    expect(await run()).toMatchObject({
      tone: 'wait',
      text: expect.stringMatching(
        /^We have your vote for .*\.\nYou have claimed it before\. It earned \*\*10\*\* credits\.$/,
      ),
    });
    expect(await store.ledgerIn(firstCommunity).account(memberId)).toMatchObject({ credits: 10, votes: 1 });
  });

  it('records a vote of which only the end of the cooldown is known', async () => {
    const { run, store } = await withService({ canVote: false, lastVoteAt: null, nextVoteAt: start + 2 * hour });
    expect(await run()).toMatchObject({ tone: 'good' });
    expect(await store.ledgerIn(firstCommunity).lastVoteAt(memberId, 'server')).toBe(start - 10 * hour);
  });

  it.each([
    ['knows no vote', noVote, 'no vote of yours'],
    ['reports a cooldown without a time', { canVote: false, lastVoteAt: null, nextVoteAt: null }, 'no usable time'],
    ['reports a vote in the future', votedAt(start + hour), 'no usable time'],
    ['reports an old vote', { canVote: true, lastVoteAt: start - 8 * day, nextVoteAt: null }, 'Only votes since'],
  ])('says so if the service %s', async (_, status, text) => {
    const { run, store } = await withService(status);
    expect(await run()).toMatchObject({ tone: 'wait', text: expect.stringContaining(text) });
    expect(await store.ledgerIn(firstCommunity).account(memberId)).toMatchObject({ votes: 0 });
  });

  it('answers a blocked member as one whose vote is not there, also when it was delivered', async () => {
    const { run: runWithoutVote } = await withService(noVote);
    const unknown = await runWithoutVote();
    const { run, block, vote, store } = await withService(votedAt(start - hour));
    block(memberId);
    expect(await run()).toEqual(unknown);
    await vote(start - hour);
    expect(await run()).toEqual(unknown);
    block();
    // It was refused when it was recorded.
    expect(await run()).toEqual(unknown);
    expect(await store.ledgerIn(firstCommunity).account(memberId)).toMatchObject({ credits: 0, votes: 0 });
  });

  it('says that a vote is recorded, without a request while its cooldown runs', async () => {
    const { run, vote, requests } = await withService(votedAt(start - hour));
    await vote(start - hour);
    expect(await run()).toMatchObject({
      text: expect.stringMatching(/^We have your vote for .*\.\nIt earned \*\*10\*\* credits\.$/),
    });
    expect(requests()).toBe(0);
  });

  it('gives the reason for denied credits, escaped', async () => {
    const { run, vote } = await withService(noVote);
    await vote(start - hour, { creditsAwarded: false, denial: '@everyone **ad**' });
    const text =
      'The service denied the credits, with this reason: **@\u200Beveryone \\*\\*ad\\*\\***. It earned **0** credits.';
    expect(await run()).toMatchObject({ text: expect.stringContaining(text) });
  });

  it('says that a vote is within the cooldown of another one', async () => {
    const { run, vote, clock } = await withService(votedAt(start));
    await vote(start - 11 * hour);
    await clock.advance(2 * hour);
    expect(await run()).toMatchObject({ text: expect.stringContaining('is too close to the one of') });
  });

  it('says that a site does not tell who has voted, and who can help, without a request', async () => {
    const { run, requests } = await withService(noVote, { id: 'disurl', name: 'Disurl' }, true);
    const reply = await run();
    expect(reply).toMatchObject({
      tone: 'wait',
      text: expect.stringContaining('Disurl does not say whether you have voted'),
    });
    expect(reply).toMatchObject({ text: expect.stringContaining('Ask the team of the server') });
    expect(requests()).toBe(0);
  });

  it('offers the listings whose sites tell who has voted, and all if none does', async () => {
    const of = (name: string, isSilent: boolean) => {
      return { name, lookup: fakeLookup('bot', {}), site: { id: 'x', name: 'X' }, isSilent };
    };
    const typed = { ...inputOf(), option: 'listing', typed: '' } as const;
    const choicesOf = async (...listings: readonly ListedLookup[]) =>
      (await claim.autocomplete(typed, contextFor(...listings))).map(({ value }) => value);
    expect(await choicesOf(of('one', false), of('two', true), of('three', false))).toEqual(['one', 'three']);
    expect(await choicesOf(of('one', false), of('two', true))).toEqual(['bot']);
    expect(await choicesOf(of('one', true), of('two', true))).toEqual(['one', 'two']);
    expect(claim.describe(contextFor(of('one', false), of('two', true))).options).toEqual([]);
  });
});
