import { type Fields, isObject, type JsonObject, matches } from '@tallyhook/platform/json';
import type { Ledger } from '../../core/ledger/program-ledger.ts';
import { type EffectKind, formatOf } from '../../core/outbox/effect-kind.ts';
import type {
  HandlerContent,
  HandlerEvents,
  HandlerKind,
  HandlerListing,
  MilestoneEvent,
  PremiumEvent,
  PurchaseEvent,
  ReviewEvent,
  StreakEvent,
  VoteEvent,
} from '../../core/outbox/handler-events.ts';

/**
 * A function of your own that is called for an event, after the event is on disk. A call that throws, rejects or takes
 * more than ten seconds is repeated with a growing delay, also after a restart; {@link PermanentError} ends the
 * repeats. So a call can happen more than once: use {@link HandlerCall.id} where that matters.
 * @category Events
 */
export type Handler<Event> = (event: Event, call: HandlerCall) => void | Promise<void>;

/** One call of a handler. @category Events */
export interface HandlerCall {
  /**
   * The id of the call, the same in each attempt for the same event, also after a restart or a requeue: an idempotency
   * key.
   */
  readonly id: string;
  /** Counted from 1, and from 1 again after a requeue. */
  readonly attempt: number;
  /** Aborted when the time is over, or the program stops. The call is repeated then. */
  readonly signal: AbortSignal;
  /** Reads and changes balances, by default in the community of the event. */
  readonly ledger: Ledger;
}

/**
 * Your functions for events of all communities. They run in the process that was given them, whichever process received
 * the event.
 * @category Events
 * @example
 * ```ts
 * import type { Handlers } from 'tallyhook';
 *
 * const handlers: Handlers = {
 *   async onVote({ userId, streak }, { id, ledger }) {
 *     if (streak === 7) await ledger.award({ key: id, userId, credits: 50, reason: 'a week of votes' });
 *   },
 * };
 * ```
 */
export interface Handlers {
  /** A counted vote. Votes within the cooldown of another one, and tests, are left out. */
  readonly onVote?: Handler<VoteEvent>;
  /** A purchase, renewal, expiry or revocation of premium. Tests are left out. */
  readonly onPremium?: Handler<PremiumEvent>;
  /** A step of the rule for streaks is complete, such as every seventh day. */
  readonly onStreak?: Handler<StreakEvent>;
  /** A milestone of the rules is reached. */
  readonly onMilestone?: Handler<MilestoneEvent>;
  /** An item of the shop is bought. */
  readonly onPurchase?: Handler<PurchaseEvent>;
  /** A new review was found on the service. Needs a key for the lookup API, which is polled every 15 minutes. */
  readonly onReview?: Handler<ReviewEvent>;
  /**
   * How many calls of one kind and community run at the same time, from 1 to 100; 1 by default. With more, the order of
   * calls is not that of the events.
   */
  readonly concurrency?: number;
}

/**
 * Thrown by a handler, ends its repeats: the call can never succeed. The owner sees the message as the reason.
 * @category Events
 */
export class PermanentError extends Error {
  override readonly name = 'PermanentError';
}

/** True if parsed JSON is what the outbox stores for a handler. An event of an unknown type is not. */
function isHandlerContent(value: unknown): value is HandlerContent {
  if (!isObject(value) || typeof value['id'] !== 'string' || !isObject(value['event'])) return false;
  const { event } = value;
  const type = event['type'];
  if (typeof type !== 'string' || !Object.hasOwn(fieldsByKind, type)) return false;
  return matches(event, fieldsByKind[type as HandlerKind] as Fields<object>) && hasOwner(event);
}

function hasOwner({ listing, guildId }: JsonObject): boolean {
  const isGuild = guildId === null || typeof guildId === 'string';
  return isGuild && (listing === null || matches<Omit<HandlerListing, 'guildId'>>(listing, listingFields));
}

const listingFields: Fields<Omit<HandlerListing, 'guildId'>> = { name: ['string'], kind: ['string'] };

const common = {
  guildId: ['string', null],
  deliveryId: ['number', null],
  at: ['number'],
  listing: ['object'],
} as const;
const ofMember = { ...common, userId: ['string'], balance: ['number'], credits: ['number'] } as const;

const fieldsByKind: { readonly [Kind in HandlerKind]: Fields<HandlerEvents[Kind]> } = {
  vote: {
    ...ofMember,
    votes: ['number'],
    streak: ['number'],
    denied: ['boolean'],
    reason: ['string', null],
    nextVoteAt: ['number'],
  },
  streak: { ...ofMember, days: ['number'], streak: ['number'] },
  milestone: { ...ofMember, votes: ['number'], streak: ['number'] },
  premium: {
    ...common,
    kind: ['string'],
    userId: ['string', null],
    giftedBy: ['string', null],
    tier: ['string', null],
    periodEnd: ['number', null],
    credits: ['number'],
    balance: ['number', null],
  },
  purchase: {
    ...ofMember,
    recipientId: ['string', null],
    purchaseId: ['number'],
    item: ['string'],
    name: ['string'],
    price: ['number'],
    role: ['string', null],
  },
  review: { ...common, userId: ['object'], username: ['string', null], rating: ['number', null], comment: ['string'] },
};

export const handlerKind: EffectKind<'handler', HandlerContent> = {
  kind: 'handler',
  ...formatOf(isHandlerContent),
  // A gift belongs to its recipient.
  withoutMember({ id, event }, userId) {
    return event.type !== 'premium' || event.userId === userId ? null : { id, event: { ...event, giftedBy: null } };
  },
};
