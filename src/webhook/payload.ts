import {
  type Event,
  type EventKind,
  type EventTarget,
  endsOrder,
  type Family,
  type Premium,
  type PremiumKind,
  premiumKinds,
  type Vote,
  type VoteKind,
  voteKinds,
} from '../ledger/event.ts';
import { noRecipient } from '../tally/routed-delivery.ts';
import {
  type Fields,
  InvalidFieldError,
  isObject,
  readCredits,
  readDiscordId,
  readExternalId,
  readField,
  readObject,
  readTestFlag,
  readText,
  readTimestamp,
  timestamp,
} from './fields.ts';
import { readHolder } from './holder.ts';

/** What a body says: an event, a test of the dashboard's, or nothing that is understood, and why. */
export type ParsedPayload =
  | { readonly type: 'event'; readonly event: Event }
  | { readonly type: 'test'; readonly kind: EventKind; readonly userId: string | null; readonly target: EventTarget }
  | { readonly type: 'unknown'; readonly kind: string | null; readonly reason: string; readonly family: Family | null };

export interface ReadingOptions {
  readonly premiumPath: boolean;
  readonly now: number;
  readonly defaultVote?: VoteKind | null;
}

/**
 * Reads a payload in any of the shapes that services are known to send, tolerantly: fields that nobody needs are not looked at.
 * `premiumPath` says that only a premium delivery is expected where this one came in, which is what tells a purchase without a kind.
 * `defaultVote` is the kind of a vote that tells no more than who voted; without it such a body is not understood.
 * `now` is in ms since the epoch; an event that lies more than 5 minutes ahead of it is not understood.
 */
export function readPayload(json: unknown, options: ReadingOptions): ParsedPayload {
  if (!isObject(json)) return { type: 'unknown', kind: null, reason: 'the body is no JSON object', family: null };
  const kind = kindOf(json, options);
  if (!isKnown(kind)) {
    const reason = kind === null ? 'the body names no kind of event' : 'unknown kind of event';
    return { type: 'unknown', kind, reason, family: null };
  }
  try {
    if (readTestFlag(readField(json, 'test'))) return readTest(json, kind);
    return {
      type: 'event',
      event: isVoteKind(kind) ? readVote(json, kind, options.now) : readPremium(json, kind, options.now),
    };
  } catch (error) {
    if (!(error instanceof InvalidFieldError)) throw error;
    return { type: 'unknown', kind, reason: error.message, family: familyOf(kind) };
  }
}

export function familyOf(kind: EventKind): Family {
  return isVoteKind(kind) ? 'vote' : 'premium';
}

/** `event`, else `type`; and where both are missing, what the other fields show it to be. */
function kindOf(json: Fields, { premiumPath, defaultVote = null }: ReadingOptions): string | null {
  const named = readField(json, 'event') ?? readField(json, 'type');
  if (named !== undefined) return readText(named) ?? spelled(named);
  if (premiumPath && readField(json, 'buyer') !== undefined) return 'premium_purchase';
  const isTest = readField(json, 'test') === true;
  const kindOfTest = premiumPath ? 'premium_purchase' : (defaultVote ?? 'server_vote');
  if (voterOf(json) === undefined) return isTest ? kindOfTest : null;
  if (serverOf(json) !== undefined) return 'server_vote';
  if (botOf(json) !== undefined) return 'bot_vote';
  if (saysMoreThanVoter.some((name) => readField(json, name) !== undefined)) return null;
  return isTest ? kindOfTest : defaultVote;
}

/** A body with one of these is a purchase, or for a listing that it does not name in a way that is understood. */
const saysMoreThanVoter = [
  ...['buyer', 'recipient', 'isGift', 'giftedBy', 'orderId', 'purchaseId', 'tier', 'currentPeriodEnd'],
  ...['server', 'bot', 'vendor', 'targetType'],
];

/** What is named as the kind although it is no text. An object is not spelled out: it may be nested more deeply than the stack is. */
function spelled(named: unknown): string {
  return typeof named === 'object' ? (Array.isArray(named) ? '[…]' : '{…}') : JSON.stringify(named);
}

const isVoteKind = (kind: string): kind is VoteKind => voteKinds.some((known) => known === kind);
const isPremiumKind = (kind: string): kind is PremiumKind => premiumKinds.some((known) => known === kind);
const isKnown = (kind: string | null): kind is EventKind => kind !== null && (isVoteKind(kind) || isPremiumKind(kind));

const voterOf = (json: Fields) => readField(json, 'userId') ?? readField(readObject(json, 'voter'), 'userId');
const serverOf = (json: Fields) => readField(json, 'serverId') ?? readField(readObject(json, 'server'), 'id');
const botOf = (json: Fields) => readField(json, 'botId') ?? readField(readObject(json, 'bot'), 'id');

/** A test proves that the way is open; its contents are made up, so nothing in it can be wrong. */
function readTest(json: Fields, kind: EventKind): ParsedPayload {
  const readable = (read: () => string | null): string | null => {
    try {
      return read();
    } catch {
      return null;
    }
  };
  const userId = readable(() =>
    readDiscordId(voterOf(json) ?? readField(readObject(json, 'buyer'), 'userId'), 'userId'),
  );
  const target = isVoteKind(kind) ? { kind: votedKind(kind), id: readable(() => votedId(json, kind)) } : noTarget;
  return { type: 'test', kind, userId, target };
}

const noTarget: EventTarget = { kind: null, id: null };

function votedKind(kind: VoteKind): 'server' | 'bot' {
  return kind === 'server_vote' ? 'server' : 'bot';
}

function votedId(json: Fields, kind: VoteKind): string | null {
  return kind === 'server_vote' ? readDiscordId(serverOf(json), 'serverId') : readDiscordId(botOf(json), 'botId');
}

function readVote(json: Fields, kind: VoteKind, now: number): Vote {
  const userId = readDiscordId(voterOf(json), 'userId');
  if (userId === null) throw new InvalidFieldError('the vote names no user');
  return {
    family: 'vote',
    kind,
    target: { kind: votedKind(kind), id: votedId(json, kind) },
    userId,
    at: timestamp(readField(json, 'timestamp'), now),
    awarded: readCredits(readField(json, 'creditsAwarded'), 'creditsAwarded'),
    denial: readText(readField(json, 'creditDenialReason')),
  };
}

function readPremium(json: Fields, kind: PremiumKind, now: number): Premium {
  const orderIds = [
    readExternalId(readField(json, 'orderId'), 'orderId'),
    readExternalId(readField(json, 'purchaseId'), 'purchaseId'),
  ].filter((id) => id !== null);
  const holder = readHolder(json);
  if (holder.userId === null) requireOrder(kind, holder.giftedBy, orderIds);
  const tier = readObject(json, 'tier');
  return {
    family: 'premium',
    kind,
    target: soldFor(json),
    ...holder,
    orderIds,
    tier: readText(readField(tier, 'name')) ?? readText(readField(tier, 'id')),
    at: timestamp(readField(json, 'timestamp'), now),
    periodEnd: readTimestamp(readField(json, 'currentPeriodEnd'), 'currentPeriodEnd'),
    awarded: readCredits(readField(json, 'creditsAwarded'), 'creditsAwarded'),
  };
}

/** Without a holder only the order can tell whose it is. @throws NotUnderstood */
function requireOrder(kind: PremiumKind, giver: string | null, orderIds: readonly string[]): void {
  if (endsOrder(kind)) {
    if (orderIds.length === 0) throw new InvalidFieldError(`the ${kind} names neither buyer nor order`);
    return;
  }
  if (giver === null) throw new InvalidFieldError(`the ${kind} names no buyer`);
  if (orderIds.length === 0) throw new InvalidFieldError(noRecipient);
}

/** What a vendor that is neither a server nor a bot calls itself is no id of Discord's, and no reason to hold a purchase back. */
function soldFor(json: Fields): EventTarget {
  const vendor = readObject(json, 'vendor');
  const named = readField(vendor, 'type') ?? readField(json, 'targetType');
  const serverId = readDiscordId(serverOf(json), 'serverId');
  const vendorId = readField(vendor, 'id');
  if (named === 'server' || named === 'bot')
    return { kind: named, id: readDiscordId(vendorId, 'vendor.id') ?? serverId };
  const kind = serverId === null ? null : 'server';
  return { kind, id: typeof vendorId === 'string' ? vendorId : serverId };
}

/** The kind of event, in the payload's own words where they were not understood. */
export function kindIn(reading: ParsedPayload): string | null {
  return reading.type === 'event' ? reading.event.kind : reading.kind;
}

/** The family that the event itself belongs to; null where it does not tell. */
export function familyIn(reading: ParsedPayload): Family | null {
  switch (reading.type) {
    case 'event':
      return reading.event.family;
    case 'test':
      return familyOf(reading.kind);
    case 'unknown':
      return reading.family;
  }
}

/** JSON that was read, or undefined; wrapped, because `null` is JSON too. */
export function parseJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
