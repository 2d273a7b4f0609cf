import type { Feature } from '../../core/feature.ts';
import { type Audience, hearingEndpoints } from '../../core/outbox/audience.ts';
import { creditsOf } from '../../core/rewards/reward.ts';
import type { HotTable } from '../../core/store/recording/hot-table.ts';
import type { ListingContext } from '../../core/tally/listing-context.ts';
import type { HeardCorrection, Recorded, RecordedPremium, RecordedVote, Tally } from '../../core/tally/tally.ts';
import { endsOrder } from '../../webhook/event.ts';
import { type NewEvent, outgoingEvent, webhookEffects, webhookKind } from './event.ts';
import * as sql from './store.ts';
import { deleteEventsOfGuild, type EventTables, streamRow, webhookPausedReport } from './store.ts';

export type { EndpointAccess, ListedEndpoint } from './endpoints.ts';
export { type EventStore, tellOf } from './store.ts';

const streamedEvents: HotTable<ReturnType<typeof streamRow>> = {
  name: 'events',
  key: [],
  columns: { community_id: 'bigint', type: 'text', at: 'bigint', user_id: 'text', body: 'text' },
};

const isHeard = { any: [{ listing: 'handled' }, { rule: hearingEndpoints }] } as const;

export const events = {
  sql,
  tables: {
    events: {
      select: (db, { userId }) => [db.selectFrom('events').selectAll().where('user_id', '=', userId)],
      // Also those of others that name the member, such as gifts: the stream has a day of events.
      forget: (db, { userId }) => [db.deleteFrom('events').where('body', 'like', `%"${userId}"%`)],
    },
    event_audiences: { withoutMembers: 'Who hears the events of communities.' },
    webhook_endpoints: { withoutMembers: 'States of endpoints.' },
    webhook_attempts: { withoutMembers: 'Answers of endpoints.' },
  },
  effects: [webhookKind],
  ownerReports: [webhookPausedReport],
  afterVote: { of: isHeard, call: tellOfVote },
  afterPremium: { of: isHeard, call: tellOfPremium },
  afterCorrection: tellOfCorrection,
  deleteOfGuild: deleteEventsOfGuild,
} satisfies Feature<EventTables>;

/** Who hears the events of a listing, as of the settings by which they are recorded. */
function audienceOf({ community, handled = [], rewards }: ListingContext): Audience {
  const { id: communityId, guildId } = community;
  return { communityId, guildId, endpoints: hearingEndpoints.in(rewards), isStreamed: handled.includes('stream') };
}

/** Tells endpoints and the stream of an event of a listing, in the transaction that causes it. */
export function tell(
  tally: Tally,
  { listing, deliveryId, now }: Pick<Recorded, 'listing' | 'deliveryId' | 'now'>,
  event: NewEvent,
): void {
  tellAudience(tally, audienceOf(listing), event, { deliveryId, now });
}

function tellAudience(
  tally: Tally,
  audience: Audience,
  event: NewEvent,
  { deliveryId, now }: { readonly deliveryId: number | null; readonly now: number },
): void {
  const outgoing = outgoingEvent(audience, event, now);
  for (const effect of webhookEffects(audience, outgoing, { deliveryId, now })) tally.enqueue(effect);
  if (audience.isStreamed) tally.saveRow(streamedEvents, streamRow(audience, outgoing, now));
}

function listingFields({ name, siteId = 'service', kind, id }: ListingContext) {
  return { listing: name, site: siteId, kind, targetId: id };
}

function tellOfVote(tally: Tally, vote: RecordedVote): void {
  const { listing, at, entries, account, streak, reached } = vote;
  const [own] = entries;
  const { milestone } = reached;
  const { userId, credits: balance } = account;
  const fields = { userId, ...listingFields(listing) };
  const milestones = milestone === null ? [] : [milestone];
  tell(tally, vote, {
    type: 'vote.recorded',
    data: {
      ...fields,
      votedAt: iso(at),
      credits: creditsOf(entries),
      balance,
      votes: account.votes,
      streak,
      milestones,
      reason: own?.reason ?? null,
      denied: own?.cause === 'denied',
    },
  });
  for (const each of milestones) {
    tell(tally, vote, { type: 'milestone.reached', data: { ...fields, ...each, balance, at: iso(at) } });
  }
}

function tellOfPremium(tally: Tally, premium: RecordedPremium): void {
  const { listing, event, at, credits, balance } = premium;
  const { kind, userId, tier, giftedBy, periodEnd } = event;
  const data = {
    ...listingFields(listing),
    userId,
    event: kind,
    tier,
    giftedBy,
    periodEnd: periodEnd === null ? null : iso(periodEnd),
    at: iso(at),
  };
  tell(
    tally,
    premium,
    endsOrder(kind)
      ? { type: 'premium.ended', data }
      : { type: 'premium.started', data: { ...data, credits, balance } },
  );
}

function tellOfCorrection(tally: Tally, correction: HeardCorrection, balance: number): void {
  const { audience, userId, credits, reason, at, author = null } = correction;
  const data = { userId, credits, balance, cause: 'correction', reason, author, at: iso(at) };
  tellAudience(tally, audience, { type: 'credits.changed', data }, { deliveryId: null, now: at });
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
