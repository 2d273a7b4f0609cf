import {
  type Event,
  type EventTarget,
  endsOrder,
  type Family,
  familyOf,
  isVoteKind,
  type KnownEventKind,
  type KnownPremiumKind,
  type KnownVoteKind,
  type Premium,
  premiumKinds,
  type Vote,
  voteKinds,
} from './event.ts';
import {
  type Fields,
  InvalidFieldError,
  isObject,
  parseDiscordId,
  readBotId,
  readCredits,
  readDiscordId,
  readEventTime,
  readExternalId,
  readField,
  readObject,
  readServerId,
  readTestFlag,
  readText,
  readTimestamp,
  readVoterId,
} from './fields.ts';
import { type PayloadRejection, quarantineReasons } from './rejections.ts';

/** A parsed body: an event, a test from the dashboard, or a payload that cannot be processed, with the reason. */
export type ParsedPayload =
  | { readonly type: 'event'; readonly event: Event }
  | {
      readonly type: 'test';
      readonly kind: KnownEventKind;
      readonly userId: string | null;
      readonly target: EventTarget;
    }
  | {
      readonly type: 'unprocessable';
      readonly kind: string | null;
      readonly reason: string;
      readonly family: Family | null;
    };

export interface PayloadContext {
  /** True if path and secret allow premium deliveries alone: only then is a purchase without a kind recognised. */
  readonly premiumPath: boolean;
  /** Ms since the epoch. An event more than 5 minutes later is unprocessable. */
  readonly now: number;
  /** The kind of a vote that names only its voter. Without it, such a body is unprocessable. */
  readonly defaultVote?: KnownVoteKind | null;
}

/** Parses a payload in any of the formats that services are known to send. Unused fields are ignored. */
export function readPayload(json: unknown, context: PayloadContext): ParsedPayload {
  if (!isObject(json)) {
    return { type: 'unprocessable', kind: null, reason: 'the body is not a JSON object', family: null };
  }
  const kind = readKind(json, context);
  if (kind === null || !isKnownKind(kind)) {
    const reason = kind === null ? 'the body names no kind of event' : 'unknown kind of event';
    return { type: 'unprocessable', kind, reason, family: null };
  }
  try {
    if (readTestFlag(readField(json, 'test'))) return readTest(json, kind);
    return {
      type: 'event',
      event: isVoteKind(kind) ? readVote(json, kind, context.now) : readPremium(json, kind, context.now),
    };
  } catch (error) {
    if (!(error instanceof InvalidFieldError)) throw error;
    return { type: 'unprocessable', kind, reason: error.message, family: familyOf(kind) };
  }
}

/** The field `event`, otherwise `type`, otherwise another one that states it; if all are missing, inferred. */
function readKind(json: Fields, { premiumPath, defaultVote = null }: PayloadContext): string | null {
  const name = readField(json, 'event') ?? readField(json, 'type');
  if (name !== undefined) return readText(name) ?? describeKind(name);
  const isTest = readField(json, 'test') === true;
  const otherKind = findOtherKind(json);
  // A test pays nothing, so it may be of a kind that is not known.
  if (otherKind !== null && (isKnownKind(otherKind) || !isTest)) return otherKind;
  if (premiumPath && readField(json, 'buyer') !== undefined) return 'premium_purchase';
  const testKind = premiumPath ? 'premium_purchase' : (defaultVote ?? 'server_vote');
  if (readVoterId(json) === undefined) return isTest ? testKind : null;
  if (readServerId(json) !== undefined) return 'server_vote';
  if (readBotId(json) !== undefined) return 'bot_vote';
  if (fieldsBesideVoter.some((field) => readField(json, field) !== undefined)) return null;
  return isTest ? testKind : defaultVote;
}

/** A body with one of these is a purchase, or names its listing in an unknown way, so it is no default vote. */
const fieldsBesideVoter = [
  ...['buyer', 'recipient', 'isGift', 'giftedBy', 'orderId', 'purchaseId', 'tier', 'currentPeriodEnd'],
  ...['server', 'bot', 'vendor', 'targetType'],
];

/** A test checks only the connection. Its contents are sample data, so invalid fields are ignored. */
function readTest(json: Fields, kind: KnownEventKind): ParsedPayload {
  const ignoreInvalid = (read: () => string | null): string | null => {
    try {
      return read();
    } catch {
      return null;
    }
  };
  const userId = ignoreInvalid(() =>
    readDiscordId(readVoterId(json) ?? readField(readObject(json, 'buyer'), 'userId'), 'userId'),
  );
  const target = isVoteKind(kind)
    ? { kind: targetKindOf(kind), id: ignoreInvalid(() => readTargetId(json, kind)) }
    : { kind: null, id: null };
  return { type: 'test', kind, userId, target };
}

function targetKindOf(kind: KnownVoteKind): 'server' | 'bot' {
  return kind === 'server_vote' ? 'server' : 'bot';
}

function readTargetId(json: Fields, kind: KnownVoteKind): string | null {
  return kind === 'server_vote'
    ? readDiscordId(readServerId(json), 'serverId')
    : readDiscordId(readBotId(json), 'botId');
}

function readVote(json: Fields, kind: KnownVoteKind, now: number): Vote {
  const userId = readDiscordId(readVoterId(json), 'userId');
  if (userId === null) throw new InvalidFieldError('the vote names no user');
  return {
    family: 'vote',
    kind,
    target: { kind: targetKindOf(kind), id: readTargetId(json, kind) },
    userId,
    at: readEventTime(readField(json, 'timestamp'), now),
    creditsAwarded: readCredits(readField(json, 'creditsAwarded'), 'creditsAwarded'),
    denial: readText(readField(json, 'creditDenialReason')),
  };
}

/** The kind of event; for an unprocessable payload as the payload states it. */
export function kindIn(payload: ParsedPayload): string | null {
  return payload.type === 'event' ? payload.event.kind : payload.kind;
}

/** The family of the event; null if the payload does not determine it. */
export function familyIn(payload: ParsedPayload): Family | null {
  switch (payload.type) {
    case 'event':
      return payload.event.family;
    case 'test':
      return familyOf(payload.kind);
    case 'unprocessable':
      return payload.family;
  }
}

const kinds: readonly string[] = [...voteKinds, ...premiumKinds];

function isKnownKind(kind: string): kind is KnownEventKind {
  return kinds.includes(kind);
}

/** Names of fields that state a kind of event, in lower case without separators. */
const kindNames: ReadonlySet<string> = new Set([
  ...['kind', 'eventkind', 'eventtype', 'eventname', 'action', 'topic'],
  ...['webhooktype', 'webhookevent', 'notificationtype', 'messagetype'],
]);

/** Texts that people choose, who could name themselves like an event that pays more. */
const ownTextNames: ReadonlySet<string> = new Set([
  ...['name', 'username', 'displayname', 'globalname', 'nickname', 'votername', 'buyername', 'targetname'],
  ...['title', 'comment', 'message', 'text', 'description', 'reason', 'creditdenialreason', 'tier'],
]);

/**
 * The kind of an event that states it in neither `event` nor `type`: any other field at the top level whose text is a
 * known kind. Otherwise what makes the event one of an unknown kind: several kinds, a kind in a text that people choose,
 * or anything else in a field for kinds. Null without any of these.
 */
function findOtherKind(json: Fields): string | null {
  const stated = new Set<string>();
  let unknown: string | null = null;
  for (const [name, value] of Object.entries(json)) {
    const plainName = name.toLowerCase().replaceAll(/[_-]/g, '');
    if (typeof value === 'string' && isKnownKind(value)) {
      if (ownTextNames.has(plainName)) unknown ??= `${value} in ${plainName}`;
      else stated.add(value);
    } else if (kindNames.has(plainName) && value !== null) {
      unknown ??= readText(value) ?? describeKind(value);
    }
  }
  return stated.size > 0 ? [...stated].join(' and ') : unknown;
}

/** A kind that is not a text, for the delivery log. Objects are abbreviated: their depth could overflow the stack. */
function describeKind(kind: unknown): string {
  return typeof kind === 'object' ? (Array.isArray(kind) ? '[…]' : '{…}') : JSON.stringify(kind);
}

/** Permission that a secret gives, as far as the meaning of a payload depends on it. */
export interface PayloadScope {
  readonly family: Family;
  readonly listing: { readonly name: string; readonly kind: 'server' | 'bot'; readonly implied: boolean };
}

/** The content of a delivery whose sender is known, and those of the sender's scopes that cover it. Never empty. */
export interface AuthorizedPayload<Scope> {
  readonly payload: ParsedPayload;
  readonly scopes: readonly [Scope, ...Scope[]];
}

/** Parses the body of a delivery whose sender is known, unless the sender may not send it. */
export function readAuthorized<Scope extends PayloadScope>(
  { text, json }: { readonly text: string; readonly json: unknown },
  sender: {
    readonly scopes: readonly Scope[];
    /** By a secret, not by the header `Authorization`. */
    readonly signed: boolean;
    /** The family of the path; null for a path that accepts both. */
    readonly pathFamily: Family | null;
  },
  /** Ms since the epoch. */
  now: number,
): AuthorizedPayload<Scope> | PayloadRejection {
  const { signed, pathFamily } = sender;
  const pathScopes = sender.scopes.filter(({ family }) => pathFamily === null || family === pathFamily);
  if (pathScopes.length === 0) return 'webhook_wrong_family';
  if (json === undefined) return text === '' ? 'webhook_body_empty' : 'webhook_body_not_json';

  const premiumPath = pathScopes.every(({ family }) => family === 'premium');
  const payload = readPayload(json, { premiumPath, now, defaultVote: inferVoteKind(pathScopes, { signed }) });
  const payloadFamily = familyIn(payload);
  const [scope, ...others] = pathScopes.filter(({ family }) => payloadFamily === null || family === payloadFamily);
  if (scope === undefined) return 'webhook_wrong_family';
  if (!signed && kindIn(payload) === 'bot_vote') return 'webhook_vote_unsigned';
  return { payload, scopes: [scope, ...others] };
}

/**
 * The kind of a vote that names only its voter, which is all that the document guarantees (section 6): the kind of the
 * only listing that the scopes allow. Null if there are several, if the secret also signs premium events, or for an
 * unsigned vote for a bot.
 */
export function inferVoteKind(
  scopes: readonly PayloadScope[],
  sender: { readonly signed: boolean },
): KnownVoteKind | null {
  if (scopes.some(({ family }) => family !== 'vote')) return null;
  const listings = scopes.map(({ listing }) => listing).filter(({ implied }) => !implied);
  const [first, ...others] = listings;
  if (first === undefined || others.some(({ name }) => name !== first.name)) return null;
  if (first.kind === 'server') return 'server_vote';
  return sender.signed ? 'bot_vote' : null;
}

/** Reads a premium event. `now` is in ms since the epoch. @throws InvalidFieldError */
export function readPremium(json: Fields, kind: KnownPremiumKind, now: number): Premium {
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
    target: readTarget(json),
    ...holder,
    orderIds,
    tier: readText(readField(tier, 'name')) ?? readText(readField(tier, 'id')),
    at: readEventTime(readField(json, 'timestamp'), now),
    periodEnd: readTimestamp(readField(json, 'currentPeriodEnd'), 'currentPeriodEnd'),
    creditsAwarded: readCredits(readField(json, 'creditsAwarded'), 'creditsAwarded'),
  };
}

/**
 * The holder of the purchase: the recipient, otherwise the buyer. A gift must never be credited to its giver, so if the
 * purchase may be a gift and has no readable recipient, the holder is null.
 * @throws InvalidFieldError
 */
function readHolder(json: Fields): Pick<Premium, 'userId' | 'isRecipient' | 'giftedBy'> {
  const recipient =
    readDiscordId(readField(readObject(json, 'recipient'), 'userId'), 'recipient.userId') ??
    parseDiscordId(personId(readField(json, 'recipient')));
  const buyer =
    readField(readObject(json, 'buyer'), 'userId') ??
    readField(json, 'userId') ??
    parseDiscordId(personId(readField(json, 'buyer')));
  const giver = parseDiscordId(personId(readField(json, 'giftedBy'))) ?? parseDiscordId(buyer);
  if (recipient !== null) return { userId: recipient, isRecipient: true, giftedBy: giver === recipient ? null : giver };
  if (mayBeGift(json)) return { userId: null, isRecipient: false, giftedBy: giver };
  return { userId: readDiscordId(buyer, 'buyer.userId'), isRecipient: false, giftedBy: null };
}

/** Services send a person as an object or as the bare ID. */
function personId(value: unknown): unknown {
  return isObject(value) ? (readField(value, 'userId') ?? readField(value, 'id')) : value;
}

/** Any non-empty gift field makes a possible gift. An explicit `isGift: false` outweighs only blank ones. */
function mayBeGift(json: Fields): boolean {
  const isGift = readField(json, 'isGift');
  const giftFields = [readField(json, 'recipient'), readField(json, 'giftedBy')].filter(
    (value) => value !== undefined && value !== false,
  );
  if (isNegative(isGift)) return !giftFields.every(isBlank);
  return isGift !== undefined || giftFields.length > 0 || namesTwoUsers(json);
}

function isNegative(value: unknown): boolean {
  return value === false || value === 0 || (typeof value === 'string' && /^(?:false|no|0)$/i.test(value));
}

function isBlank(value: unknown): boolean {
  if (typeof value === 'object' && value !== null)
    return Object.values(value).every((field) => field === null || field === '');
  return value === '';
}

function namesTwoUsers(json: Fields): boolean {
  const buyerId = parseDiscordId(readField(readObject(json, 'buyer'), 'userId'));
  const userId = parseDiscordId(readField(json, 'userId'));
  return buyerId !== null && userId !== null && buyerId !== userId;
}

/** Requires an order that identifies the holder, if the event names none. @throws InvalidFieldError */
function requireOrder(kind: KnownPremiumKind, giver: string | null, orderIds: readonly string[]): void {
  if (endsOrder(kind)) {
    if (orderIds.length === 0) throw new InvalidFieldError(`the ${kind} names neither buyer nor order`);
    return;
  }
  if (giver === null) throw new InvalidFieldError(`the ${kind} names no buyer`);
  if (orderIds.length === 0) throw new InvalidFieldError(quarantineReasons.noRecipient);
}

/** The ID of a vendor that is no server or bot need not be a Discord ID: the purchase is valid. */
function readTarget(json: Fields): EventTarget {
  const vendor = readObject(json, 'vendor');
  const type = readField(vendor, 'type') ?? readField(json, 'targetType');
  const serverId = readDiscordId(readServerId(json), 'serverId');
  const vendorId = readField(vendor, 'id');
  if (type === 'server' || type === 'bot') return { kind: type, id: readDiscordId(vendorId, 'vendor.id') ?? serverId };
  const kind = serverId === null ? null : 'server';
  return { kind, id: typeof vendorId === 'string' ? vendorId : serverId };
}
