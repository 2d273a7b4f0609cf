import type { Premium } from '../ledger/event.ts';
import { type Fields, isObject, readableId, readDiscordId, readField, readObject } from './fields.ts';

/**
 * Who holds what was bought, as far as the event tells: the recipient, else the buyer. A gift must never be credited to its giver, so
 * where it may be one and names no recipient that can be read, nobody is taken for the holder.
 * @throws NotUnderstood
 */
export function readHolder(json: Fields): Pick<Premium, 'userId' | 'isRecipient' | 'giftedBy'> {
  const named = readField(json, 'recipient');
  const recipient =
    readDiscordId(readField(readObject(json, 'recipient'), 'userId'), 'recipient.userId') ??
    readableId(personIn(named));
  const buyer =
    readField(readObject(json, 'buyer'), 'userId') ??
    readField(json, 'userId') ??
    readableId(personIn(readField(json, 'buyer')));
  const giver = readableId(personIn(readField(json, 'giftedBy'))) ?? readableId(buyer);
  if (recipient !== null) return { userId: recipient, isRecipient: true, giftedBy: giver === recipient ? null : giver };
  if (mayBeGift(json)) return { userId: null, isRecipient: false, giftedBy: giver };
  return { userId: readDiscordId(buyer, 'buyer.userId'), isRecipient: false, giftedBy: null };
}

/** Services name a person by an object or by the bare id. */
function personIn(value: unknown): unknown {
  return isObject(value) ? (readField(value, 'userId') ?? readField(value, 'id')) : value;
}

/** Any sign of a gift counts, readable or not; a plain no outweighs only fields that say nothing. */
function mayBeGift(json: Fields): boolean {
  const isGift = readField(json, 'isGift');
  const signs = [readField(json, 'recipient'), readField(json, 'giftedBy')].filter(
    (sign) => sign !== undefined && sign !== false,
  );
  if (isNo(isGift)) return !signs.every(isBlank);
  return isGift !== undefined || signs.length > 0 || namesTwoUsers(json);
}

function isNo(value: unknown): boolean {
  return value === false || value === 0 || (typeof value === 'string' && /^(?:false|no|0)$/i.test(value));
}

function isBlank(value: unknown): boolean {
  if (typeof value === 'object' && value !== null)
    return Object.values(value).every((each) => each === null || each === '');
  return value === '';
}

/** Beside the buyer, for whom else it may be. */
function namesTwoUsers(json: Fields): boolean {
  const buyer = readableId(readField(readObject(json, 'buyer'), 'userId'));
  const user = readableId(readField(json, 'userId'));
  return buyer !== null && user !== null && buyer !== user;
}
