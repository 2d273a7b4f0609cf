import type { Event, Premium, Vote } from '../ledger/event.ts';
import { judgePremium, judgeVote, shortestGap, type Verdict } from '../ledger/rules.ts';
import { announcementOf, channelFor } from './announcement.ts';
import { identityOf } from './identity.ts';
import type { Delivery, LoggedDelivery, Outcome, TalliedListing, Tally } from './tally.ts';

export interface Recorded {
  readonly outcome: Outcome;
  readonly deliveryId: number;
  readonly credits: number;
  readonly reason: string | null;
}

/** How a delivery gets its row: a new one, or the one in which it was quarantined. Null says that its event is recorded already. */
export type Log = (delivery: LoggedDelivery) => Promise<number | null>;

/**
 * One event becomes a row, an entry, a balance and its effects, inside the caller's transaction.
 * An event that is recorded already changes nothing but the delivery log.
 */
export async function recordEvent(
  tally: Tally,
  told: Event,
  listing: TalliedListing,
  delivery: Delivery,
  log: Log = (row) => tally.log(row),
): Promise<Recorded> {
  const event = await attributed(tally, told);
  if (await isUntimedRepeat(tally, event, listing, delivery.receivedAt))
    return logRepeat(log, event, listing, delivery);

  const verdict = await judge(tally, event, listing, delivery.receivedAt);
  const eventKey = identityOf(event, listing.name, delivery.receivedAt, delivery.body);
  const { credits, reason } = verdict;
  const deliveryId = await log({ ...rowOf(event, listing, delivery), outcome: 'recorded', reason, credits, eventKey });
  if (deliveryId === null) return logRepeat(log, event, listing, delivery);

  if (event.family === 'premium') await keepOrder(tally, event, listing, delivery.receivedAt);
  const balance = await book(tally, event, listing, verdict, deliveryId, delivery.receivedAt);
  const channelId = channelFor(event.family, listing);
  if (channelId !== null) {
    const announcement = announcementOf(event, listing, { credits, balance, reason, receivedAt: delivery.receivedAt });
    await tally.enqueue({ deliveryId, kind: 'announcement', channelId, announcement, createdAt: delivery.receivedAt });
  }
  return { outcome: 'recorded', deliveryId, credits, reason };
}

/** An expiry or revocation may name nobody but its order; then it is about whoever holds that. */
async function attributed(tally: Tally, event: Event): Promise<Event> {
  if (event.family === 'vote' || event.userId !== null) return event;
  const order = await tally.findOrder(event.orderIds);
  return { ...event, userId: order?.userId ?? null };
}

/** A vote without a timestamp is the same vote for a whole cooldown. */
async function isUntimedRepeat(
  tally: Tally,
  event: Event,
  listing: TalliedListing,
  receivedAt: number,
): Promise<boolean> {
  if (event.family !== 'vote' || event.at !== null) return false;
  return tally.hasUntimedVoteAfter(listing.name, event.userId, receivedAt - shortestGap(listing.terms));
}

async function judge(tally: Tally, event: Event, listing: TalliedListing, receivedAt: number): Promise<Verdict> {
  if (event.family === 'vote')
    return judgeVote(event, listing.terms, await isWithinCooldown(tally, event, listing, receivedAt));
  const order = await tally.findOrder(event.orderIds);
  return judgePremium(event, listing.terms, order?.state === 'revoked');
}

async function isWithinCooldown(
  tally: Tally,
  vote: Vote,
  listing: TalliedListing,
  receivedAt: number,
): Promise<boolean> {
  const at = vote.at ?? receivedAt;
  const gap = shortestGap(listing.terms);
  return tally.hasVoteBetween(listing.name, vote.userId, at - gap, at + gap);
}

async function book(
  tally: Tally,
  event: Event,
  listing: TalliedListing,
  verdict: Verdict,
  deliveryId: number,
  receivedAt: number,
): Promise<number | null> {
  const { cause, credits, reason } = verdict;
  if (cause === null || event.userId === null) return null;
  const at = event.at ?? receivedAt;
  return tally.append({ userId: event.userId, listing: listing.name, credits, cause, reason, at, deliveryId });
}

/** A revocation is for ever; an expiry ends only the period that it speaks of. */
async function keepOrder(tally: Tally, event: Premium, listing: TalliedListing, at: number): Promise<void> {
  if (event.orderIds.length === 0) return;
  const known = await tally.findOrder(event.orderIds);
  await tally.saveOrder(
    {
      orderIds: [...new Set([...(known?.orderIds ?? []), ...event.orderIds])],
      listing: known?.listing ?? listing.name,
      userId: event.userId ?? known?.userId ?? null,
      tier: event.tier ?? known?.tier ?? null,
      state: known?.state === 'revoked' ? 'revoked' : stateAfter(event, known?.state ?? null, known?.periodEnd ?? null),
      periodEnd: latest(event.periodEnd, known?.periodEnd ?? null),
    },
    at,
  );
}

function stateAfter(
  event: Premium,
  known: 'active' | 'expired' | null,
  knownEnd: number | null,
): 'active' | 'expired' | 'revoked' {
  if (event.kind === 'subscription.revoked') return 'revoked';
  if (event.kind !== 'subscription.expired') return 'active';
  const overtakenByRenewal =
    known === 'active' && event.periodEnd !== null && knownEnd !== null && event.periodEnd < knownEnd;
  return overtakenByRenewal ? 'active' : 'expired';
}

function latest(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b);
}

/** A repeat leaves a row, so that the owner sees that it came; it has no key, no entry and no effect. */
async function logRepeat(log: Log, event: Event, listing: TalliedListing, delivery: Delivery): Promise<Recorded> {
  const row = {
    ...rowOf(event, listing, delivery),
    outcome: 'duplicate',
    reason: null,
    credits: 0,
    eventKey: null,
  } as const;
  const deliveryId = await log(row);
  return { outcome: 'duplicate', deliveryId: deliveryId ?? 0, credits: 0, reason: null };
}

function rowOf(event: Event, listing: TalliedListing, delivery: Delivery) {
  return { ...delivery, listing: listing.name, kind: event.kind, userId: event.userId };
}
