import { type EventTarget, endsOrder, type KnownPremiumKind, type Premium } from './event.ts';
import {
  type Fields,
  InvalidFieldError,
  isObject,
  parseDiscordId,
  readCredits,
  readDiscordId,
  readEventTime,
  readExternalId,
  readField,
  readObject,
  readServerId,
  readText,
  readTimestamp,
} from './fields.ts';
import { quarantineReasons } from './quarantine-reasons.ts';

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

/**
 * Any non-empty gift field makes a purchase a possible gift. An explicit `isGift: false` outweighs only blank fields.
 */
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

/** Whether the buyer and `userId` are different users. */
function namesTwoUsers(json: Fields): boolean {
  const buyerId = parseDiscordId(readField(readObject(json, 'buyer'), 'userId'));
  const userId = parseDiscordId(readField(json, 'userId'));
  return buyerId !== null && userId !== null && buyerId !== userId;
}

/** Without a holder, the event needs an order that identifies the holder. @throws InvalidFieldError */
function requireOrder(kind: KnownPremiumKind, giver: string | null, orderIds: readonly string[]): void {
  if (endsOrder(kind)) {
    if (orderIds.length === 0) throw new InvalidFieldError(`the ${kind} names neither buyer nor order`);
    return;
  }
  if (giver === null) throw new InvalidFieldError(`the ${kind} names no buyer`);
  if (orderIds.length === 0) throw new InvalidFieldError(quarantineReasons.noRecipient);
}

/**
 * The ID of a vendor that is neither a server nor a bot need not be a Discord ID, and does not invalidate the purchase.
 */
function readTarget(json: Fields): EventTarget {
  const vendor = readObject(json, 'vendor');
  const type = readField(vendor, 'type') ?? readField(json, 'targetType');
  const serverId = readDiscordId(readServerId(json), 'serverId');
  const vendorId = readField(vendor, 'id');
  if (type === 'server' || type === 'bot') return { kind: type, id: readDiscordId(vendorId, 'vendor.id') ?? serverId };
  const kind = serverId === null ? null : 'server';
  return { kind, id: typeof vendorId === 'string' ? vendorId : serverId };
}
