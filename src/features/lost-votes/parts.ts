import { day, hour, minute } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import { LeaseShare } from '@tallyhook/platform/leases/lease-share';
import type { LeaseStore } from '@tallyhook/platform/leases/lease-store';
import { createLoop, type Loop, type WakeableLoop } from '@tallyhook/platform/loop';
import type { CommunityId, LedgerReads } from '../../core/ledger/account.ts';
import { withoutSecrets } from '../../core/receiving/listing.ts';
import { toleranceMs } from '../../core/rewards/reward.ts';
import { namesOfTarget } from '../../core/tally/community.ts';
import { queuesOfVotes } from '../../core/tally/queues.ts';
import type { ClaimRecorder } from '../../core/tally/recorder.ts';
import { LookupError } from '../../lookup/lookup-error.ts';
import type { SiteClient } from '../../lookup/sites/site-client.ts';
import type { CommunityListing, LookupClients } from '../communities/feature.ts';
import type { GuardServices } from '../guards/feature.ts';
import type { FeatureParts, PartsContext } from '../parts.ts';
import type { LostVotesStore } from './store.ts';

/** How far back the first look into a history goes, as after an outage (ms); never before the listing's beginning. */
const firstLookbackMs = day;
/** How far each look goes back before the last one (ms): a site may list a vote late. */
const overlapMs = hour;
/** A younger vote is not lost: its delivery may be under way (ms). */
const minAgeMs = 2 * minute;

interface LostVotesContext extends Pick<PartsContext, 'directory' | 'nudge' | 'clock' | 'stopwatch' | 'log'> {
  readonly lookups: Pick<LookupClients, 'findSite'>;
  readonly store: {
    readonly ledgerIn: (communityId: CommunityId) => Pick<LedgerReads, 'lastVoteAt'>;
    readonly lostVotes: LostVotesStore;
  };
  readonly claimRecorder: ClaimRecorder;
  readonly guards: GuardServices;
  /** Null if no other process uses the database. */
  readonly leases: LeaseStore | null;
}

/**
 * Looks for lost votes in the histories of sites, once an hour and in one process at a time, since the beginning of each
 * listing in this database. What the ledger does not have is recorded as by `/claim`, so a delivery that comes later pays
 * nothing, and announced as a late delivery is.
 */
export class LostVotes implements Loop {
  readonly #context: LostVotesContext;
  /** Elects the process that reads the histories; null if no other process uses the database. */
  readonly #share: LeaseShare | null;
  #hasJoined = false;
  readonly #histories: WakeableLoop;
  /** When the history of each listing was read to its end (ms since the epoch). */
  readonly #readAt = new Map<string, number>();
  readonly #beginnings: WakeableLoop;
  /** The listings whose beginnings are stored. */
  readonly #begun = new Set<string>();

  constructor(context: LostVotesContext) {
    const { directory, leases, clock, stopwatch, log } = context;
    this.#context = context;
    const onChange = () => {
      if (this.#share?.holds(0)) this.#histories.wake();
    };
    this.#share =
      leases && new LeaseShare({ store: leases, group: 'history', size: 1, clock: stopwatch, log, onChange });
    this.#histories = createLoop({
      round: (signal) => this.#findAll(signal),
      pauseMs: hour,
      onError: (error) =>
        log.warn({ reason: messageOf(error) }, 'lost votes could not be recorded; looking again later'),
      clock,
    });
    this.#beginnings = createLoop({
      round: () => this.#noteBeginnings(),
      pauseMs: hour,
      onError: (error) =>
        log.warn({ reason: messageOf(error) }, 'the beginning of a listing could not be stored; retrying'),
      clock,
    });
    directory.onChange(() => this.#beginnings.wake());
  }

  start(): void {
    this.#beginnings.start();
    this.#histories.start();
  }

  async stop(): Promise<void> {
    await Promise.all([this.#beginnings.stop(), this.#histories.stop()]);
    if (this.#hasJoined) await this.#share?.stop();
  }

  /** Votes of before were received, and perhaps paid, by another program. */
  async #noteBeginnings(): Promise<void> {
    const { directory, store } = this.#context;
    for (const listing of directory.listings) if (listing.site !== undefined) await this.#begin(listing);
    for (const name of this.#begun) {
      if (directory.find(name)?.site !== undefined) continue;
      this.#begun.delete(name);
      this.#readAt.delete(name);
      await store.lostVotes.end(name);
    }
  }

  async #begin({ name, kind, id, site }: CommunityListing): Promise<number> {
    const { store, clock } = this.#context;
    const since = await store.lostVotes.begin(name, `${site?.id} ${kind} ${id}`, clock.now());
    this.#begun.add(name);
    return since;
  }

  async #findAll(signal: AbortSignal): Promise<void> {
    const { directory, lookups } = this.#context;
    const found = directory.listings.flatMap((listing) => {
      const history = lookups.findSite(listing.name)?.history ?? null;
      return history === null ? [] : [{ listing, history }];
    });
    if (found.length > 0 && !this.#hasJoined) this.#share?.start();
    this.#hasJoined ||= found.length > 0;
    for (const { listing, history } of found) {
      if (!signal.aborted && this.#share?.holds(0) !== false) await this.#find(listing, history, signal);
    }
  }

  async #find(
    listing: CommunityListing,
    history: NonNullable<SiteClient['history']>,
    signal: AbortSignal,
  ): Promise<void> {
    const { store, guards, claimRecorder, nudge, clock, log } = this.#context;
    const { name, community } = listing;
    const now = clock.now();
    const names = namesOfTarget(community, name);
    const ledger = store.ledgerIn(community.id);
    const since = Math.max(await this.#begin(listing), (this.#readAt.get(name) ?? now - firstLookbackMs) - overlapMs);
    try {
      for await (const { userId, at, weight, nextVoteAt } of history(since)) {
        if (signal.aborted) return;
        if (at > now - minAgeMs) continue;
        // The last vote of a member is usually the one in question, and known; the transaction compares all.
        const last = await ledger.lastVoteAt(userId, names);
        if (last !== null && Math.abs(last - at) <= toleranceMs) continue;
        const isMember = await guards.confirmMember(listing, userId).catch((error: unknown) => {
          log.warn(
            { listing: name, reason: messageOf(error) },
            'Discord does not say who is a member; asking again later',
          );
          return null;
        });
        // The next look begins where this one did.
        if (isMember === null) return;
        const lost = { userId, at, atSite: { weight, nextVoteAt }, isAnnounced: true, isMember };
        const result = await claimRecorder.recordClaim(lost, withoutSecrets(listing), now);
        if (result.outcome !== 'claimed') continue;
        nudge(queuesOfVotes(listing));
        log.info({ user: userId, listing: name, credits: result.credits }, 'recorded a vote that was not delivered');
      }
      this.#readAt.set(name, now);
    } catch (error) {
      // The client reports what concerns its site.
      if (!(error instanceof LookupError)) throw error;
    }
  }
}

export function create(context: PartsContext & LostVotesContext) {
  return { loops: [new LostVotes(context)] } satisfies FeatureParts;
}
