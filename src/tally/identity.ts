import { createHash } from 'node:crypto';
import type { Event, Premium, Vote } from '../ledger/event.ts';

/**
 * The identity of an event: the same event has the same key however often, late or reformatted it is delivered, and the key is unique
 * in the store for good. That is the only defence against a replay, since a signature covers neither time nor id
 * (`spec/payloads.md`, "Identity"). The keys of votes begin with the time, so that they are inserted at one end of the index.
 */
export function identityOf(event: Event, listing: string, receivedAt: number, body: string): string {
  return event.family === 'vote' ? voteIdentity(event, listing, receivedAt) : premiumIdentity(event, body);
}

function voteIdentity(vote: Vote, listing: string, receivedAt: number): string {
  if (vote.at !== null) return `${new Date(vote.at).toISOString()} ${vote.userId} ${listing}`;
  return `${new Date(receivedAt).toISOString()} ${vote.userId} ${listing} ${untimed}`;
}

/** Marks the key of a vote without a timestamp. Such a vote is the same one for a whole cooldown, see `record-event.ts`. */
export const untimed = 'untimed';

/** A purchase and its renewals share one order, so a renewal is told apart by its period, or else by its time. */
function premiumIdentity(premium: Premium, body: string): string {
  const [order] = premium.orderIds;
  if (order === undefined) return `${premium.kind} sha256:${createHash('sha256').update(body).digest('hex')}`;
  if (premium.kind !== 'subscription.renewed') return `${premium.kind} ${order}`;
  const period = premium.periodEnd ?? premium.at;
  return period === null ? `${premium.kind} ${order}` : `${premium.kind} ${order} ${new Date(period).toISOString()}`;
}
