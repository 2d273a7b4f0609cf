import { type Fields, isObject, type JsonObject, matches } from '@tallyhook/platform/json';
import { type EffectKind, formatOf } from '../../core/outbox/effect-kind.ts';
import type { HandlerContent, HandlerEvents, HandlerKind, HandlerListing } from '../../core/outbox/handler-events.ts';

/** Whether parsed JSON is what the outbox stores for a handler. An event of an unknown type is not. */
function isHandlerContent(value: unknown): value is HandlerContent {
  if (!isObject(value) || typeof value['id'] !== 'string' || !isObject(value['event'])) return false;
  const { event } = value;
  const type = event['type'];
  if (typeof type !== 'string' || !Object.hasOwn(fieldsByKind, type)) return false;
  return matches(event, fieldsByKind[type as HandlerKind] as Fields<object>) && hasOwner(event);
}

/** A listing, and the id of a guild, which may be null. */
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
