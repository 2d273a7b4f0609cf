import type { Effect } from '../../core/outbox/effect.ts';
import type { RetryPolicy } from '../../core/outbox/retry.ts';
import type { Replay, StoredDelivery } from '../../core/receiving/replay.ts';
import type { ListingContext } from '../../core/tally/listing-context.ts';
import { LookupError } from '../../lookup/lookup-error.ts';
import type { SiteClient } from '../../lookup/sites/site-client.ts';
import type { AttemptResult } from '../../platform/attempt-result.ts';
import type { Clock } from '../../platform/clock.ts';
import { day, minute, second } from '../../platform/durations.ts';
import type { Log } from '../../platform/log.ts';
import { quarantineReasons } from '../../webhook/quarantine-reasons.ts';
import { reasons } from './hold-vote.ts';
import type { ConfirmationStore } from './store.ts';

/** After that, a vote that its site neither confirms nor denies is left to the owner (ms). */
const maxAgeMs = day;
/**
 * A site that fails is asked again so long after it was asked (ms), also if it took its time to fail: it answers at most
 * 15 s before the vote is paid.
 */
const retryMs = 10 * second;
/** Not sooner after the error, because the client repeats that for 5 s (ms). */
const minPauseMs = 5.2 * second;
/** How much the times of one vote may differ between the site and the ledger (ms). */
const toleranceMs = 5 * minute;

/** The site may show a vote a moment after it has delivered it, so the first "no" is asked again. */
const minRefusals = 2;

/** Confirmations that are repeated share what a site has said within this time (ms). */
const sharedForMs = 2 * second;

/** How long a "no", or an unexpected error, waits for the next attempt. The end is decided here. */
export const confirmationRetry: RetryPolicy = (_, random) => Math.round(retryMs * (0.4 + random / 10));

/** What the site says. `unknown`: not yet, and when to ask again (ms since the epoch). */
type Answer = 'yes' | 'no' | { readonly unknown: string; readonly retryAt: number };

/** Asks the site about a vote, and records it, or leaves it to the owner. */
export function createConfirm(options: {
  readonly findClient: (listing: string) => SiteClient | null;
  readonly findListing: (name: string) => ListingContext | undefined;
  readonly findDelivery: (id: number) => Promise<StoredDelivery | null>;
  readonly lastVoteAt: (userId: string, listing: ListingContext) => Promise<number | null>;
  readonly store: ConfirmationStore;
  readonly replay: Replay;
  readonly clock: Clock;
  readonly log: Log;
}): (effect: Effect<'confirmation'>) => Promise<AttemptResult> {
  const { findClient, findListing, findDelivery, lastVoteAt, store, replay, clock, log } = options;

  async function ask({ content, createdAt, attempts }: Effect<'confirmation'>): Promise<Answer> {
    const { listing: name, userId } = content;
    const askedAt = clock.now();
    const unknown = (reason: string, retryAt: number | null = null): Answer => ({
      unknown: reason,
      retryAt: Math.max(retryAt ?? 0, askedAt + retryMs, clock.now() + minPauseMs),
    });
    const [client, listing] = [findClient(name), findListing(name)];
    if (client === null || listing === undefined) return unknown('the listing has no API that says who has voted');
    try {
      const notBefore = attempts === 1 ? createdAt : Math.max(createdAt, clock.now() - sharedForMs);
      const { voted, at, since } = await client.check(userId, { notBefore });
      const { retryHorizonMs = 0 } = listing.rewards.base.site ?? {};
      if (!voted) return since <= createdAt - retryHorizonMs ? 'no' : unknown('the vote may be too old for the site');
      // A vote that is recorded already confirms no other one.
      const recordedAt = await lastVoteAt(userId, listing);
      return at !== null && recordedAt !== null && at <= recordedAt + toleranceMs ? 'no' : 'yes';
    } catch (error) {
      if (error instanceof LookupError) return unknown(error.message, error.retryAt);
      throw error;
    }
  }

  return async (effect) => {
    const { content, deliveryId, createdAt, attempts } = effect;
    const delivery = deliveryId === null ? null : await findDelivery(deliveryId);
    // The owner has released it, or the member was forgotten.
    if (delivery?.outcome !== 'quarantined') return settled();
    // The settings may have changed since it was held, so that recording it did not end the wait.
    async function settled(): Promise<AttemptResult> {
      if (deliveryId !== null) await store.forgetWaiting(content, deliveryId);
      return { outcome: 'done' };
    }
    const leave = async (reason: string): Promise<AttemptResult> => {
      await store.leave(content, delivery.id, reason);
      log.warn({ delivery: delivery.id, listing: content.listing, reason }, 'a vote was not confirmed by its site');
      return { outcome: 'done' };
    };
    const answer = await ask(effect);
    if (answer === 'yes') {
      await replay(delivery);
      return settled();
    }
    if (answer === 'no') {
      if (attempts >= minRefusals) return leave(reasons.refused);
      return { outcome: 'later', reason: reasons.refused, scope: 'effects', notSent: true };
    }
    if (clock.now() >= createdAt + maxAgeMs)
      return leave(findListing(content.listing) === undefined ? quarantineReasons.listingGone : reasons.unknown);
    const retryAfterMs = answer.retryAt - clock.now();
    return { outcome: 'later', reason: answer.unknown, retryAfterMs, scope: 'effects', notSent: true };
  };
}
