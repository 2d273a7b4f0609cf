import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '@tallyhook/platform/clock';
import type { Log } from '@tallyhook/platform/log';
import { type ResolvableListing, withoutSecrets } from '../../core/receiving/listing.ts';
import type { CounterStore } from '../../core/store/counters.ts';
import type { CorrectionStore, ReversiblePage, VoteRange } from './store.ts';

/** The totals that a reversal takes, or would take. */
export interface ReversalTotals {
  readonly members: number;
  readonly votes: number;
  /** Before it, milestones that are not reached any more are not known. */
  readonly credits: number;
}

export type Reversals = ReturnType<typeof createReversals>;

type Totals = { -readonly [Name in keyof ReversalTotals | 'spent']: number };

/** Members per transaction: some ms, in which votes wait. */
const membersAtOnce = 20;

/**
 * Reverses the votes of a listing. All reject with the errors of the store, and with what aborts the signal.
 * @param options.listingsOf those of the community that a listing belongs to; none if it is not configured
 */
export function createReversals(options: {
  readonly store: { readonly corrections: CorrectionStore; readonly counters: Pick<CounterStore, 'reset'> };
  readonly listingsOf: (listing: string) => readonly ResolvableListing[];
  readonly clock: Clock;
  readonly log: Log;
}) {
  const { store, listingsOf, clock, log } = options;
  const { corrections, counters } = store;

  async function* pages(range: VoteRange, signal?: AbortSignal): AsyncGenerator<ReversiblePage['members']> {
    for (let from: number | null = 0; from !== null; ) {
      signal?.throwIfAborted();
      const { members, next }: ReversiblePage = await corrections.reversible(range, from);
      yield members;
      from = next;
      await nextTurn();
    }
  }

  async function reversePage(
    range: VoteRange,
    page: ReversiblePage['members'],
    { totals, signal }: { readonly totals: Totals; readonly signal: AbortSignal | undefined },
  ): Promise<void> {
    const listings = listingsOf(range.listing).map(withoutSecrets);
    for (let start = 0; start < page.length; start += membersAtOnce) {
      signal?.throwIfAborted();
      const now = clock.now();
      const members = page.slice(start, start + membersAtOnce);
      const reversed = await Promise.all(
        members.map(({ accountId }) => corrections.reverseMember(range, { accountId, listings }, now)),
      );
      for (const { votes, credits, spent } of reversed.filter((each) => each !== null)) {
        totals.members += 1;
        totals.votes += votes;
        totals.credits += credits;
        totals.spent += spent;
      }
    }
  }

  return {
    async preview(range: VoteRange, signal?: AbortSignal): Promise<ReversalTotals> {
      const members = new Set<string>();
      let [votes, credits] = [0, 0];
      for await (const page of pages(range, signal)) {
        for (const member of page) {
          members.add(member.accountId);
          votes += member.votes;
          credits += member.credits;
        }
      }
      return { members: members.size, votes, credits };
    },

    /**
     * In transactions of some members each. After an interruption, a second one continues; what is reversed is not
     * reversed again. `spent`: credits that members no longer had.
     */
    async reverse(range: VoteRange, signal?: AbortSignal): Promise<Totals> {
      const totals = { members: 0, votes: 0, credits: 0, spent: 0 };
      try {
        for await (const page of pages(range, signal)) await reversePage(range, page, { totals, signal });
      } finally {
        // Also if nothing was left: an earlier reversal may have ended before this.
        await counters.reset();
      }
      const { listing, from, until } = range;
      log.info(
        { listing, from: new Date(from), until: new Date(until), ...totals },
        'votes of a listing were reversed',
      );
      return totals;
    },
  };
}
