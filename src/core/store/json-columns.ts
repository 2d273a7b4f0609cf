import type { LastVotes } from '../ledger/account.ts';
import type {
  DepartureNotice,
  Digest,
  DirectMessage,
  DirectMessageContent,
  EffectContents,
  EffectKind,
  LostStreak,
  LostStreaks,
  MemberRole,
  OwnerReport,
  OwnerReportContent,
  PartyPanel,
  PartyReached,
  PartyReward,
  PurchasedItem,
  ReportedPurchase,
  Review,
  ReviewAnnouncement,
  RoleConnection,
} from '../outbox/effect-contents.ts';
import { parseAnnouncement, serializeAnnouncement } from './announcement-column.ts';
import { isHandlerContent } from './handler-column.ts';
import { type Fields, hasNumbers, isObject, matches } from './json-fields.ts';

/*
 * Checks of the columns that hold JSON. Plain functions, because `last_votes` is read for every vote, and because the
 * write worker starts faster without a schema library.
 */

/** Parses `balances.last_votes`. Throws an Error if it is not an object of times. */
export function parseLastVotes(text: string): LastVotes {
  const value: unknown = JSON.parse(text);
  if (!isObject(value) || !hasNumbers(value)) throw new Error('balances.last_votes is not an object of times.');
  return value;
}

/** Parses `balances.roles`. Throws an Error if it is not an array of Discord IDs. */
export function parseRoles(text: string): readonly string[] {
  const value: unknown = JSON.parse(text);
  if (!Array.isArray(value) || !value.every((item) => typeof item === 'string')) {
    throw new Error('balances.roles is not an array of ids.');
  }
  return value;
}

/** The text for `effects.content`. */
export function serializeContent({ kind, content }: Contents): string {
  return kind === 'announcement' ? serializeAnnouncement(content) : JSON.stringify(content);
}

/** The kind of an effect with its contents. */
export type Contents = {
  readonly [K in EffectKind]: { readonly kind: K; readonly content: EffectContents[K] };
}[EffectKind];

/** Contents that this version cannot read, and why. */
export interface UnreadableContents {
  readonly kind: 'unreadable';
  readonly reason: string;
}

/** Parses `effects.content` of an effect of this kind. Never throws. */
export function parseContent(kind: string, text: string): Contents | UnreadableContents {
  if (!isEffectKind(kind)) return unreadable(`This version does not know effects of the kind "${kind.slice(0, 50)}".`);
  return parseKnown(kind, text) ?? unreadable(`The contents are not those of the kind "${kind}".`);
}

function parseKnown(kind: EffectKind, text: string): Contents | null {
  const value = parseJson(text);
  switch (kind) {
    case 'announcement': {
      const announcement = parseAnnouncement(value);
      return announcement === null ? null : { kind, content: announcement };
    }
    case 'role':
      return matches(value, roleFields) ? { kind, content: value } : null;
    case 'directMessage':
      return matches(value, directMessageFields) && matchesType(value.message, directMessageTypes)
        ? { kind, content: value }
        : null;
    case 'ownerReport':
      return matches(value, ownerReportFields) && matchesType(value.report, ownerReportTypes)
        ? { kind, content: value }
        : null;
    case 'partyReward':
      return matches(value, partyRewardFields) ? { kind, content: value } : null;
    case 'partyPanel':
      return matches(value, partyPanelFields) ? { kind, content: value } : null;
    case 'partyReached':
      return matches(value, partyReachedFields) ? { kind, content: value } : null;
    case 'digest':
      return matches(value, digestFields) ? { kind, content: value } : null;
    case 'lostStreaks':
      return matches(value, lostStreaksFields) && isLostStreaks(value.streaks) ? { kind, content: value } : null;
    case 'review':
      return matches(value, reviewFields) && matches(value.review, reviewTextFields) ? { kind, content: value } : null;
    case 'roleConnection':
      return matches(value, roleConnectionFields) ? { kind, content: value } : null;
    case 'handler':
      return isHandlerContent(value) ? { kind, content: value } : null;
  }
}

function isLostStreaks(value: unknown): boolean {
  return Array.isArray(value) && value.every((streak) => matches<LostStreak>(streak, lostStreakFields));
}

function unreadable(reason: string): UnreadableContents {
  return { kind: 'unreadable', reason: `${reason} A newer version may have stored it: replay it after an upgrade.` };
}

/** Undefined if it is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const roleFields: Fields<MemberRole> = { guildId: ['string'], userId: ['string'], role: ['string'] };
const directMessageFields: Fields<DirectMessage> = { userId: ['string'], message: ['object'] };
const ownerReportFields: Fields<OwnerReport> = { channelId: ['string'], report: ['object'] };
const partyRewardFields: Fields<PartyReward> = {
  period: ['string'],
  goal: ['number'],
  credits: ['number'],
  day: ['number'],
};
const partyPanelFields: Fields<PartyPanel> = { channelId: ['string'], period: ['string'] };
const partyReachedFields: Fields<PartyReached> = {
  ...partyPanelFields,
  goal: ['number'],
  credits: ['number'],
};

const digestFields: Fields<Digest> = {
  channelId: ['string'],
  listing: ['string'],
  from: ['number'],
  until: ['number'],
};
const lostStreakFields: Fields<LostStreak> = { userId: ['string'], days: ['number'] };
const lostStreaksFields: Fields<LostStreaks> = {
  channelId: ['string'],
  listing: ['string'],
  until: ['number'],
  streaks: ['object'],
  more: ['number'],
};
const reviewFields: Fields<ReviewAnnouncement> = {
  channelId: ['string'],
  listing: ['string'],
  id: ['string'],
  review: ['object'],
};
const reviewTextFields: Fields<Review> = {
  username: ['string', null],
  rating: ['number', null],
  comment: ['string'],
  createdAt: ['number', null],
};

const roleConnectionFields: Fields<RoleConnection> = { userId: ['string'] };

const purchasedItemFields: Fields<PurchasedItem> = { item: ['string'], price: ['number'] };
const reportedPurchaseFields: Fields<ReportedPurchase> = {
  ...purchasedItemFields,
  purchaseId: ['number'],
  userId: ['string'],
};

const departureFields: Fields<DepartureNotice> = {
  guildId: ['string'],
  listing: ['string', null],
  parkedAt: ['number'],
  deletedAt: ['number'],
  notices: ['number'],
};

/** The fields of each type of direct message, without the type itself. */
const directMessageTypes: FieldsByType<DirectMessageContent> = {
  reminder: { listing: ['string'], dueAt: ['number'] },
  purchaseFulfilled: purchasedItemFields,
  purchaseRefunded: purchasedItemFields,
  departure: departureFields,
};
const ownerReportTypes: FieldsByType<OwnerReportContent> = {
  roleFailed: { ...roleFields, reason: ['string'] },
  purchase: reportedPurchaseFields,
  purchaseRefunded: reportedPurchaseFields,
  purchaseClosed: { ...purchasedItemFields, purchaseId: ['number'] },
};

type FieldsByType<Union extends { readonly type: string }> = {
  readonly [Type in Union['type']]: Fields<Extract<Union, { readonly type: Type }>>;
};

const effectKinds: Readonly<Record<EffectKind, true>> = {
  ...{ announcement: true, role: true, directMessage: true, ownerReport: true, partyReward: true, partyPanel: true },
  ...{ partyReached: true, digest: true, lostStreaks: true, review: true, roleConnection: true },
  handler: true,
};

function isEffectKind(kind: string): kind is EffectKind {
  return Object.hasOwn(effectKinds, kind);
}

/** Whether the object has one of the types and its fields. */
function matchesType(value: object, types: Readonly<Record<string, Fields<object>>>): boolean {
  if (!isObject(value) || typeof value['type'] !== 'string' || !Object.hasOwn(types, value['type'])) return false;
  return matches(value, types[value['type']] ?? {});
}
