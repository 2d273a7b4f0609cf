import { day } from '@tallyhook/platform/durations';
import type { Event, Family } from '../../webhook/event.ts';
import { quarantineReasons } from '../../webhook/rejections.ts';
import { accountIdOf, noCommunity } from '../ledger/account.ts';
import {
  type Announcement,
  announcementKind,
  type Bonus,
  type GivenRole,
  newEffect,
  type PlannedEffect,
  planKey,
  replayKind,
} from '../outbox/effect-kind.ts';
import { queueName } from '../outbox/queue.ts';
import type { Reached } from '../rewards/decide-vote.ts';
import { creditsOf, type RewardEntry } from '../rewards/reward.ts';
import { type AccountState, isEmpty } from './account-state.ts';
import type { EventKey } from './idempotency-key.ts';
import { type ListingContext, type ListingIdentity } from './listing-context.ts';
import { channelQueueOf } from './queues.ts';
import {
  alreadyReplayed,
  type Delivery,
  type DeliveryRow,
  type DeliveryRowWriter,
  type Hook,
  type HookCondition,
  type Recorded,
  type RecordedDelivery,
  type RoutedDelivery,
  type Tally,
  type TestEvent,
} from './tally.ts';

/** The inputs of a recording apart from the event. */
export interface RecordingContext {
  readonly tally: Tally;
  readonly listing: ListingContext;
  readonly delivery: Delivery;
  readonly rowWriter: DeliveryRowWriter;
}

/** The entries, keys and account that an event changes. */
interface EventRewards {
  /** The entry of the event itself first. */
  readonly entries: readonly RewardEntry[];
  readonly eventKeys: readonly EventKey[];
  /** The account to which the entries are added; null if the event has no user. */
  readonly account: AccountState | null;
  /** The streak after the event (days); null unless a vote was counted. */
  readonly streak: number | null;
  /** Steps and milestones that a counted vote reached. */
  readonly reached?: Reached;
  /** Stores what is not an entry. Returns the roles that it gave. */
  readonly apply: (deliveryId: number) => readonly GivenRole[];
}

/** Writes the row, entries, account and effects of an event; only a row if the event is already recorded. */
export function writeEvent(
  event: Event,
  { entries, eventKeys, account, streak, reached, apply }: EventRewards,
  context: RecordingContext,
): RecordedDelivery {
  const { tally, listing, delivery, rowWriter } = context;
  const { receivedAt } = delivery;
  const credits = creditsOf(entries);
  const reason = reasonOf(event, entries);
  const row = { ...rowOf(event, context), outcome: 'recorded', reason, credits, eventKeys } as const;
  const deliveryId = rowWriter.writeRow(row);
  if (deliveryId === null) return writeRepeat(event, eventKeys, context);

  const at = event.at ?? receivedAt;
  let updated = account;
  if (updated !== null) {
    const common = { accountId: updated.id, listing: listing.name, at, deliveryId };
    for (const [index, entry] of entries.entries()) {
      const untimed = index === 0 && event.family === 'vote' && event.at === null;
      updated = tally.append(updated, { ...common, ...entry, untimed });
    }
  }
  const balance = entries.length > 0 ? (updated?.credits ?? null) : null;
  const roles = apply(deliveryId);
  const createdAt = rowWriter.effectsCreatedAt;
  const recorded = { listing, deliveryId, at, now: createdAt };
  const announced = announce(event, { entries, balance, streak, roles, receivedAt }, { tally, ...recorded });
  if (event.family === 'premium') {
    const premium = { ...recorded, event, credits, balance };
    for (const { afterPremium } of tally.hooks) callHook(afterPremium, tally, premium);
  } else if (updated !== null && streak !== null && reached !== undefined) {
    const nextVoteAt = event.atSite?.nextVoteAt ?? null;
    const vote = { ...recorded, entries, account: updated, streak, reached, nextVoteAt };
    for (const { afterVote } of tally.hooks) callHook(afterVote, tally, vote);
  }
  const causes = account === null ? [] : entries.map(({ cause }) => cause);
  return { outcome: 'recorded', deliveryId, credits, reason, isAnnounced: announced, causes };
}

/** For the delivery's row: why it paid less, and that it has another time than it states. */
function reasonOf({ statedAt }: Event, [own]: readonly RewardEntry[]): string | null {
  const reason = own?.reason ?? null;
  if (statedAt === undefined || own?.cause === 'within_cooldown') return reason;
  return [reason, quarantineReasons.oldTimestamp].filter((each) => each !== null).join('; ');
}

/** Adds a duplicate of the event under one of the keys. */
export function writeRepeat(event: Event, keys: readonly EventKey[], context: RecordingContext): RecordedDelivery {
  const [original = null] = keys.map(context.tally.deliveryOf).filter((id) => id !== null);
  return writeDuplicate(event, original, context);
}

/** Enqueues the announcement of an event, if its listing announces it, and returns whether it does. */
export function announce(
  event: Event,
  recorded: RecordedEvent,
  context: Pick<Recorded, 'listing' | 'deliveryId' | 'now'> & { readonly tally: Tally },
): boolean {
  const { tally, listing, deliveryId, now: createdAt } = context;
  const queue = channelQueueOf(event.family, listing);
  if (queue === null || !isAnnounced(event.family, recorded.entries, listing)) return false;
  const content = announcementOf(event, listing, recorded);
  tally.enqueue(newEffect(announcementKind, { deliveryId, queue, content, createdAt }));
  return true;
}

/**
 * Adds a row without body, key, entry and effect, so that the operator sees the repeated delivery, which cannot fill the
 * disk. It names only a member who has an account: another one was forgotten since, or has a vote that is held, which
 * the row of that vote names.
 * @param originalId the delivery that it repeats; null if its member was forgotten since
 */
export function writeDuplicate(event: Event, originalId: number | null, context: RecordingContext): RecordedDelivery {
  const userId = hasAccount(event, context) ? event.userId : null;
  const row = { ...rowOf(event, context), userId, outcome: 'duplicate', reason: null, body: '', originalId } as const;
  return writeUnpaid(row, context.rowWriter);
}

function hasAccount({ userId }: Event, { tally, listing }: RecordingContext): boolean {
  return userId !== null && !isEmpty(tally.accountState(accountIdOf(listing.community.id, userId)));
}

function rowOf(event: Event, { delivery, listing }: RecordingContext) {
  return { ...delivery, listing: listing.name, kind: event.kind, userId: event.userId };
}

/** The fields that the condition of a hook may depend on; an event without a member has no account. */
interface HookedEvent {
  readonly listing: ListingContext;
  readonly account?: AccountState;
  readonly nextVoteAt?: number | null;
}

/** Calls the hook of a feature if the event is one that it is for. */
export function callHook<Hooked extends HookedEvent>(
  hook: Hook<Hooked> | undefined,
  tally: Tally,
  event: Hooked,
): void {
  if (hook !== undefined && isMet(hook.of, event)) hook.call(tally, event);
}

/** True if the event has what the hook is for. */
export function isMet(condition: HookCondition, event: HookedEvent): boolean {
  if ('any' in condition) return condition.any.some((each) => isMet(each, event));
  const { listing, account, nextVoteAt } = event;
  const value =
    'rule' in condition
      ? condition.rule.in(listing.rewards)
      : 'listing' in condition
        ? listing[condition.listing]
        : 'vote' in condition
          ? nextVoteAt
          : account?.marks[condition.mark];
  const isEmptyList = Array.isArray(value) && value.length === 0;
  return value !== undefined && value !== null && value !== false && value !== 0 && !isEmptyList;
}

/**
 * No site sends events again for so long (ms): top.gg, which remembers its votes longest, does so for a year. An older
 * time, such as one of 1970, is an error of the sender.
 */
const maxAgeMs = 2 * 365 * day;

/** The event, without a time that cannot be true: it counts from its receipt. @param receivedAt ms since the epoch */
export function withPlausibleTime<Each extends Event>(event: Each, receivedAt: number): Each {
  const { at } = event;
  return at === null || at > receivedAt - maxAgeMs ? event : { ...event, at: null, statedAt: at };
}

/** A delivery in the quarantine. */
export interface QuarantinedDelivery extends Delivery {
  readonly id: number;
  readonly listing: string | null;
  readonly kind: string | null;
  readonly userId: string | null;
  readonly outcome: 'quarantined';
  /** The listings whose secret has authenticated it. */
  readonly origin: readonly ListingIdentity[];
}

/** Logs a delivery that pays nothing. */
export function writeUnpaid(
  row: Omit<DeliveryRow, 'credits' | 'eventKeys'>,
  { writeRow }: DeliveryRowWriter,
): RecordedDelivery {
  const { outcome, reason } = row;
  const deliveryId = writeRow({ ...row, credits: 0, eventKeys: [] });
  if (deliveryId === null) return alreadyReplayed;
  return { outcome, deliveryId, credits: 0, reason, isAnnounced: false, causes: [] };
}

/** Stores a delivery complete until it can be processed, so that a vote in a new format is never lost. */
export function quarantineDelivery(
  tally: Pick<Tally, 'enqueue'>,
  delivery: Delivery,
  { kind, reason, listing, userId = null, dueAt }: Omit<RoutedDelivery & { type: 'quarantine' }, 'type' | 'origin'>,
  rowWriter: DeliveryRowWriter,
): RecordedDelivery {
  const recorded = writeUnpaid({ ...delivery, listing, kind, outcome: 'quarantined', reason, userId }, rowWriter);
  if (dueAt !== undefined && recorded.outcome === 'quarantined')
    tally.enqueue(plannedReplay(recorded.deliveryId, dueAt, rowWriter.effectsCreatedAt));
  return recorded;
}

/** The effect that replays a delivery at its time. It belongs to no community: several listings may be possible. */
export function plannedReplay(deliveryId: number, dueAt: number, createdAt: number): PlannedEffect {
  const queue = queueName('replay', noCommunity, String(deliveryId));
  const plan = { key: planKey(noCommunity, 'replay', String(deliveryId)), dueAt };
  return { ...newEffect(replayKind, { queue, content: { deliveryId }, deliveryId: null, createdAt }), plan };
}

/** True if a recorded event with these entries is announced. */
export function isAnnounced(
  family: Family,
  entries: readonly Pick<RewardEntry, 'cause'>[],
  { announced }: ListingContext,
): boolean {
  if (family === 'premium') return announced.premium;
  return announced.votes || (announced.milestones && entries.some(({ cause }) => cause === 'milestone'));
}

/** The result of recording an event. */
export interface RecordedEvent {
  /** The entry of the event itself first; none for an event that never pays. */
  readonly entries: readonly RewardEntry[];
  /** The balance after it (credits); null without a user. */
  readonly balance: number | null;
  /** The streak after it (days); null unless a vote was counted. */
  readonly streak: number | null;
  readonly roles: readonly GivenRole[];
  /** Time of receipt (ms since the epoch): the time of an event without a timestamp. */
  readonly receivedAt: number;
}

/** The announcement of a recorded event. */
export function announcementOf(
  event: Event,
  listing: Pick<ListingContext, 'name' | 'rewards'>,
  recorded: RecordedEvent,
): Announcement {
  const { entries, balance, streak, roles, receivedAt } = recorded;
  const at = event.at ?? receivedAt;
  const [own, ...others] = entries;
  // A payload may give a reason for a vote that it pays; of any other paid vote, the reason is the multiplication.
  const isMultiplied = own?.cause === 'vote' && event.family === 'vote' && event.denial === null;
  const reason = own?.reason ?? null;
  return {
    event: event.kind,
    test: false,
    listing: listing.name,
    userId: event.userId,
    credits: creditsOf(entries),
    balance,
    reason: isMultiplied ? null : reason,
    at,
    nextVoteAt: event.family === 'vote' ? (event.atSite?.nextVoteAt ?? at + listing.rewards.base.cooldownMs) : null,
    tier: event.family === 'premium' ? event.tier : null,
    giftedBy: event.family === 'premium' ? event.giftedBy : null,
    streak,
    calculation: isMultiplied ? reason : null,
    bonuses: others.map(({ cause, credits, count = 0, reason: name }): Bonus => {
      return { cause, credits, count, ...(cause === 'luck' && name !== null && { name }) };
    }),
    roles,
  };
}

/** The announcement of a test that arrived `at` (ms since the epoch). */
export function testAnnouncementOf(test: TestEvent, listing: Pick<ListingContext, 'name'>, at: number): Announcement {
  const unpaid = { credits: 0, balance: null, reason: null, calculation: null, bonuses: [], roles: [] };
  const unknown = { nextVoteAt: null, tier: null, giftedBy: null, streak: null };
  return { event: test.kind, test: true, listing: listing.name, userId: test.userId, at, ...unpaid, ...unknown };
}
