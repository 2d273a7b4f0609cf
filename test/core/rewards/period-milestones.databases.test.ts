import { hour } from '@tallyhook/platform/durations';
import { manualClock, storeClock } from '@tallyhook/platform/testing/manual-clock';
import * as fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import type { ListingRewards } from '../../../src/core/rewards/rules.ts';
import type { ListingContext } from '../../../src/core/tally/listing-context.ts';
import { openStore } from '../../../src/features/store.ts';
import { firstCommunity } from '../../support/communities.ts';
import { describeOnEveryDatabase } from '../../support/databases.ts';
import { serverAndBot } from '../../support/listings.ts';
import { recordVote } from '../../support/record-vote.ts';
import { isConsistent } from '../../support/voting.ts';

/** Weeks in which the month, the year and the offset of Berlin change. */
const starts = ['2025-12-22T00:00:00Z', '2026-03-16T00:00:00Z'].map((time) => Date.parse(time));
const milestones: ListingRewards['milestones'] = [
  { votes: 3, repeats: 'week', credits: 100, role: null },
  { votes: 5, repeats: 'month', credits: 10_000, role: null },
];
const listingWith = (listing: ListingContext): ListingContext => ({
  ...listing,
  rewards: { ...listing.rewards, milestones },
  community: { ...listing.community, timeZone: 'Europe/Berlin' },
});

/** The Monday and the month of a time, as a calendar on a wall in Berlin shows them. */
function periodsOf(at: number): readonly [week: string, month: string] {
  const parts = new Intl.DateTimeFormat('en-US', { timeZone: 'Europe/Berlin', weekday: 'short' });
  let monday = at;
  while (parts.format(monday) !== 'Mon') monday -= 12 * hour;
  const date = new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/Berlin', dateStyle: 'short' });
  return [date.format(monday), date.format(at).slice(0, 7)];
}

function expectedCredits(times: readonly number[]): number {
  const counts = new Map<string, number>();
  for (const period of times.flatMap(periodsOf)) counts.set(period, (counts.get(period) ?? 0) + 1);
  const paid = [...counts].map(([period, votes]) =>
    period.length > 7 ? (votes >= 3 ? 100 : 0) : votes >= 5 ? 10_000 : 0,
  );
  return paid.reduce((sum, credits) => sum + credits, 10 * times.length);
}

describeOnEveryDatabase('a milestone of a week or month', (newUrl) => {
  it('is paid once in each period with enough votes, whatever their order of arrival', async () => {
    const url = newUrl();
    const store = await openStore(url, storeClock(manualClock(Date.UTC(2026, 5, 1))), { thread: false });
    onTestFinished(() => store.close());
    const listings = serverAndBot().map(listingWith);
    const slots = fc.uniqueArray(fc.integer({ min: 0, max: 50 }), { maxLength: 24, selector: (slot) => slot });
    let members = 0;
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...starts), slots, fc.nat({ max: 1 }), async (start, cast, place) => {
        members += 1;
        const [listing] = listings.slice(place);
        if (listing === undefined) throw new Error('no listing');
        const userId = String(members);
        const times = cast.map((slot) => start + slot * 13 * hour);
        for (const at of times) await recordVote(store, listing, userId, at);
        await Promise.all(times.map((at) => recordVote(store, listing, userId, at)));
        const account = await store.ledgerIn(firstCommunity).account(userId);
        expect(account?.credits ?? 0).toBe(expectedCredits(times));
      }),
      { numRuns: 60 },
    );
    expect(await isConsistent(url)).toBe(true);
  });
});
