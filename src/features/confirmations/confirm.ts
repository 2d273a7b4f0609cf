import type { AttemptResult } from '@tallyhook/platform/attempt-result';
import type { Clock } from '@tallyhook/platform/clock';
import { day, second } from '@tallyhook/platform/durations';
import type { Log } from '@tallyhook/platform/log';
import type { Effect } from '../../core/outbox/effect-kind.ts';
import { type EffectHandler, handle, maxDelayMs, type RetryPolicy, tryAgain } from '../../core/outbox/perform.ts';
import type { Replay } from '../../core/receiving/replay.ts';
import { LookupError } from '../../lookup/lookup-error.ts';
import type { SiteClient, VoteAtSite } from '../../lookup/sites/site-client.ts';
import { quarantineReasons } from '../../webhook/rejections.ts';
import type { Directory, LookupClients } from '../communities/feature.ts';
import type { Store } from '../store.ts';
import {
  type Confirmation,
  confirmationKind,
  earliestTimeOf,
  isRecorded,
  type Judgement,
  judge,
  reasons,
  timeOf,
} from './store.ts';

/** After that, a vote that its site neither confirms nor denies is left to the owner (ms). */
const maxAgeMs = day;
/**
 * A site that fails is asked again so long after it was asked (ms), also if it took its time to fail: it answers at most
 * 15 s before the vote is paid.
 */
const retryMs = 10 * second;
/** Not sooner after the error, because the client repeats that for 5 s (ms). */
const minPauseMs = 5.2 * second;
/** The site may show a vote a moment after it has delivered it, so the first "no" is asked again. */
const minRefusals = 2;

/** Confirmations that are repeated share what a site has said within this time (ms). */
const sharedForMs = 2 * second;

/**
 * How long a "no", an answer that is about other votes, or an unexpected error waits for the next attempt: twice as long
 * each time, until {@link maxDelayMs}. The end is decided here.
 */
export const confirmationRetry: RetryPolicy = ({ attempts }, random) =>
  Math.min(maxDelayMs, Math.round(retryMs * (0.4 + random / 10) * 2 ** Math.min(attempts - 1, 10)));

const maxSearchedVotes = 5_000;
/** Recorded votes from before a vote that its site may mean (ms): a longer time than any site counts a vote. */
const lookBackMs = 10 * day;

/** The site's answer about a vote. `retryAt`: when to ask again if it gave none (ms since the epoch). */
type Answer = Judgement | { readonly unknown: string; readonly retryAt: number };

/** Asks the site about a vote, and records it, or leaves it to the owner. */
export function createConfirmationHandler({
  store: { confirmations: store, records },
  directory: { find: findListing },
  lookups,
  replay,
  clock,
  log,
}: {
  readonly store: Pick<Store, 'confirmations' | 'records'>;
  readonly directory: Pick<Directory, 'find'>;
  readonly lookups: Pick<LookupClients, 'findSite'>;
  readonly replay: Replay;
  readonly clock: Clock;
  readonly log: Log;
}): EffectHandler<'confirmation'> {
  async function ask(effect: Effect<Confirmation>): Promise<Answer> {
    const { content, createdAt, attempts, deliveryId } = effect;
    const { listing: name, userId } = content;
    const askedAt = clock.now();
    const silent = (reason: string, retryAt: number | null = null): Answer => ({
      unknown: reason,
      retryAt: Math.max(retryAt ?? 0, askedAt + retryMs, clock.now() + minPauseMs),
    });
    const [client, listing] = [lookups.findSite(name), findListing(name)];
    if (client === null || listing === undefined) return silent('the listing has no API that says who has voted');
    try {
      const notBefore = attempts === 1 ? createdAt : Math.max(createdAt, clock.now() - sharedForMs);
      // A delivery that was received while the clock was ahead is not later than now.
      const answer = await client.check(userId, { notBefore: Math.min(notBefore, askedAt) });
      const votes = await store.waiting(content);
      const own = votes.find((each) => each.deliveryId === deliveryId);
      const vote = own ?? { deliveryId: deliveryId ?? 0, at: null, receivedAt: createdAt, keys: [] };
      const rules = listing.rewards.base;
      const earliest = Math.min(...[vote, ...votes].map(timeOf));
      const recorded = await store.recordedSince(listing, userId, earliest - lookBackMs);
      // Recording it says what it repeats, and pays nothing.
      if (isRecorded(vote, { recorded, rules })) return 'yes';
      const evidence = { recorded, others: votes.filter((each) => each !== own), rules };
      const judgement = judge(vote, { ...evidence, answer });
      if (typeof judgement === 'string') return judgement;
      const listed = await timesInHistory(client, userId, earliestTimeOf(vote, rules));
      const again = listed.length === 0 ? null : judge(vote, { ...evidence, answer: withTimes(answer, listed) });
      return again === 'yes' ? again : judgement;
    } catch (error) {
      if (error instanceof LookupError) return silent(error.message, error.retryAt);
      throw error;
    }
  }

  return handle(confirmationKind, confirm, confirmationRetry);

  async function confirm(effect: Effect<Confirmation>): Promise<AttemptResult> {
    const { content, deliveryId, createdAt, attempts } = effect;
    const delivery = deliveryId === null ? null : await records.delivery(deliveryId);
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
      return tryAgain(reasons.refused);
    }
    if (clock.now() >= createdAt + maxAgeMs)
      return leave(findListing(content.listing) === undefined ? quarantineReasons.listingGone : reasons.unknown);
    // What concerns the vote alone does not hold up the others of the listing.
    return tryAgain(answer.unknown, 'retryAt' in answer ? answer.retryAt - clock.now() : null);
  }
}

/** When a member has voted since a time, by the history of the site if it has one (ms since the epoch). */
async function timesInHistory({ history }: SiteClient, member: string, since: number): Promise<readonly number[]> {
  const times: number[] = [];
  let count = 0;
  for await (const { userId, at } of history?.(since) ?? []) {
    if (userId === member) times.push(at);
    count += 1;
    if (count >= maxSearchedVotes) break;
  }
  return times;
}

function withTimes(answer: VoteAtSite, listed: readonly number[]): VoteAtSite {
  return { ...answer, times: [...new Set([...answer.times, ...listed])] };
}
