import { day } from '@tallyhook/platform/durations';
import { parseJson } from '@tallyhook/platform/json';
import type { Generated } from 'kysely';
import type { CommunityId } from '../../core/ledger/account.ts';
import type { Audience, HearingEndpoint } from '../../core/outbox/audience.ts';
import { type MessageType, ownerReport } from '../../core/outbox/effect-kind.ts';
import { formatDay } from '../../core/rewards/calendar.ts';
import { deleteRowsByKey } from '../../core/store/guild-data.ts';
import { enqueue } from '../../core/store/outbox/enqueue.ts';
import { advance, deleteProgress, literal, progressOf, run, upsert } from '../../core/store/query-builder.ts';
import type { EndedGuild, Sql, SqlClient } from '../../core/store/sql-module.ts';
import {
  endpointQueue,
  type NewEvent,
  type OutgoingEvent,
  outgoingEvent,
  webhookEffects,
  webhookKind,
} from './event.ts';

/* Times are ms since the epoch. */

export interface EventTables {
  /** Events for the stream of the API, in the order of the commits, for a day. */
  events: {
    id: Generated<number>;
    community_id: CommunityId;
    type: string;
    at: number;
    user_id: string | null;
    /** JSON: an {@link OutgoingEvent}. */
    body: string;
  };
  /** Who hears the events of a community, as the processes know from its settings. */
  event_audiences: {
    community_id: CommunityId;
    guild_id: string | null;
    /** JSON: a list of {@link HearingEndpoint}. */
    endpoints: string;
    is_streamed: number;
  };
  /** The endpoints that fail, or have been paused for it. */
  webhook_endpoints: {
    community_id: CommunityId;
    endpoint: string;
    failing_since: number;
    /** Null while it is tried. */
    paused_at: number | null;
    /** The reason of the newest failure. */
    reason: string;
  };
  webhook_attempts: {
    id: Generated<number>;
    community_id: CommunityId;
    endpoint: string;
    event_id: string;
    type: string;
    at: number;
    duration_ms: number;
    /** Null without a response. */
    status: number | null;
    /** Null if it was accepted. */
    error: string | null;
    /** The beginning of the response. */
    response: string | null;
  };
}

export type EventSql = Sql<EventTables>;

/** An endpoint of a community. */
export interface EndpointKey {
  readonly communityId: CommunityId;
  readonly endpoint: string;
}

export interface EndpointState {
  readonly failingSince: number;
  readonly pausedAt: number | null;
  readonly reason: string;
}

/** One request to an endpoint. */
export interface WebhookAttempt {
  readonly id: number;
  /** The id of the event. */
  readonly eventId: string;
  readonly type: string;
  readonly at: number;
  readonly durationMs: number;
  readonly status: number | null;
  readonly error: string | null;
  readonly response: string | null;
}

/** An event of the stream with its place in it. */
export interface StreamedEvent {
  readonly id: number;
  readonly communityId: CommunityId;
  readonly at: number;
  readonly event: OutgoingEvent;
}

export interface PausedEndpoint {
  /** The host of the endpoint. */
  readonly host: string;
  readonly reason: string;
}

/** An endpoint is not tried any more. */
export const webhookPausedReport: MessageType<'webhookPaused', PausedEndpoint> = {
  type: 'webhookPaused',
  fields: { host: ['string'], reason: ['string'] },
};

/** An endpoint that fails for so long is paused. */
const maxFailingMs = 5 * day;
/** The stream can be read from an earlier point for so long; the contract says an hour at least. */
const streamKeptMs = day;
const attemptsKeptMs = 30 * day;
/** Rows that one transaction deletes: a few ms. */
const prunedAtOnce = 500;

function streaksKey(communityId: CommunityId): string {
  return `ended streaks ${communityId}`;
}

/** The row of the stream for an event. */
export function streamRow({ communityId }: Pick<Audience, 'communityId'>, event: OutgoingEvent, at: number) {
  const { userId } = event.data;
  const user_id = typeof userId === 'string' ? userId : null;
  return { community_id: communityId, type: event.type, at, user_id, body: JSON.stringify(event) };
}

/** Tells endpoints and the stream of an event, in a transaction that is not that of a delivery. */
export async function tellOf(sql: Sql, communityId: CommunityId, event: NewEvent, now: number): Promise<void> {
  const audience = await audienceOf(sql, communityId);
  if (audience === null) return;
  const outgoing = outgoingEvent(audience, event, now);
  await enqueue(sql, webhookEffects(audience, outgoing, { deliveryId: null, now }));
  if (audience.isStreamed) await addToStream(sql, streamRow(audience, outgoing, now));
}

async function addToStream({ db, connection }: EventSql, row: ReturnType<typeof streamRow>): Promise<void> {
  await run(connection, db.insertInto('events').values(row));
}

async function audienceOf(sql: EventSql, communityId: CommunityId): Promise<Audience | null> {
  const { db, connection } = sql;
  const ofCommunity = db.selectFrom('event_audiences').selectAll().where('community_id', '=', communityId);
  const [row] = await run(connection, ofCommunity);
  return row === undefined ? null : toAudience(row);
}

function toAudience(row: EventTables['event_audiences']): Audience {
  const endpoints = parseJson(row.endpoints) as readonly HearingEndpoint[];
  return { communityId: row.community_id, guildId: row.guild_id, endpoints, isStreamed: row.is_streamed === 1 };
}

export const reads = {
  async audiences({ db, connection }: EventSql): Promise<readonly Audience[]> {
    return (await run(connection, db.selectFrom('event_audiences').selectAll())).map(toAudience);
  },

  /** Null while it has no failure. */
  async endpointState({ db, connection }: EventSql, key: EndpointKey): Promise<EndpointState | null> {
    const own = db.selectFrom('webhook_endpoints').selectAll().where('community_id', '=', key.communityId);
    const [row] = await run(connection, own.where('endpoint', '=', key.endpoint));
    return row === undefined ? null : toState(row);
  },

  /** The endpoints that fail or are paused. @param communityId of one community; null for all */
  async failingEndpoints(
    { db, connection }: EventSql,
    communityId: CommunityId | null,
  ): Promise<readonly (EndpointKey & EndpointState)[]> {
    const all = db.selectFrom('webhook_endpoints').selectAll();
    const rows = await run(connection, communityId === null ? all : all.where('community_id', '=', communityId));
    return rows.map((row) => ({ communityId: row.community_id, endpoint: row.endpoint, ...toState(row) }));
  },

  /** The first day whose ended streaks nobody was told of (day number); null before the first check. */
  streaksCheckedUntil: (sql: EventSql, communityId: CommunityId) => progressOf(sql, streaksKey(communityId)),

  /** The requests to an endpoint, newest first. @param before only those with a lower id; null for the newest */
  async attempts(
    { db, connection }: EventSql,
    { communityId, endpoint }: EndpointKey,
    { limit, before }: { readonly limit: number; readonly before: number | null },
  ): Promise<readonly WebhookAttempt[]> {
    const own = db.selectFrom('webhook_attempts').selectAll().where('community_id', '=', communityId);
    let query = own.where('endpoint', '=', endpoint);
    if (before !== null) query = query.where('id', '<', before);
    const rows = await run(connection, query.orderBy('id', 'desc').limit(limit));
    return rows.map(
      ({ event_id: eventId, duration_ms: durationMs, community_id: _community, endpoint: _endpoint, ...row }) => {
        return { ...row, eventId, durationMs };
      },
    );
  },

  /** The events of the stream after an id, in the order of their ids. @param communityId of one community; null for all */
  async streamAfter(
    { db, connection }: EventSql,
    afterId: number,
    { communityId, limit }: { readonly communityId: CommunityId | null; readonly limit: number },
  ): Promise<readonly StreamedEvent[]> {
    let query = db.selectFrom('events').selectAll().where('id', '>', afterId);
    if (communityId !== null) query = query.where('community_id', '=', communityId);
    const rows = await run(connection, query.orderBy('id').limit(limit));
    return rows.map(({ id, community_id, at, body }) => {
      return { id, communityId: community_id, at, event: parseJson(body) as OutgoingEvent };
    });
  },

  /** The id after which the events of the stream are that were stored at a time or later. */
  async streamIdAt({ db, connection }: EventSql, since: number): Promise<number> {
    const first = db.selectFrom('events').select('id').where('at', '>=', since).orderBy('id').limit(1);
    const [row] = await run(connection, first);
    if (row !== undefined) return row.id - 1;
    const last = db.selectFrom('events').select(({ fn }) => fn.max<number | null>('id').as('id'));
    return (await run(connection, last))[0]?.id ?? 0;
  },
};

function toState({ failing_since, paused_at, reason }: EventTables['webhook_endpoints']): EndpointState {
  return { failingSince: failing_since, pausedAt: paused_at, reason };
}

export const writes = {
  async setAudience(sql: EventSql, { communityId, guildId, endpoints, isStreamed }: Audience): Promise<void> {
    const values = { guild_id: guildId, endpoints: JSON.stringify(endpoints), is_streamed: isStreamed ? 1 : 0 };
    await upsert(sql, 'event_audiences', { community_id: communityId }, values);
  },

  /**
   * Stores a request and what it says of its endpoint, which is paused if it has failed for five days or is gone, and
   * reports that once. Returns true if it is paused now.
   */
  async attempted(
    sql: EventSql,
    { communityId, endpoint }: EndpointKey,
    attempt: Omit<WebhookAttempt, 'id'>,
    {
      isGone,
      host,
      ownerChannelId,
    }: { readonly isGone: boolean; readonly host: string; readonly ownerChannelId: string | null },
  ): Promise<boolean> {
    const { db, connection } = sql;
    const { eventId: event_id, type, at, durationMs: duration_ms, status, error, response } = attempt;
    const row = { community_id: communityId, endpoint, event_id, type, at, duration_ms, status, error, response };
    await run(connection, db.insertInto('webhook_attempts').values(row));
    if (error === null) {
      await forgetFailures(sql, { communityId, endpoint });
      return false;
    }
    const failure = { community_id: communityId, endpoint, failing_since: at, paused_at: null, reason: error };
    const states = await run(
      connection,
      db
        .insertInto('webhook_endpoints')
        .values(failure)
        .onConflict((conflict) => conflict.columns(['community_id', 'endpoint']).doUpdateSet({ reason: error }))
        .returning(['failing_since', 'paused_at']),
    );
    const [state] = states;
    if (state === undefined || state.paused_at !== null) return state !== undefined;
    if (!isGone && at - state.failing_since < maxFailingMs) return false;
    const pause = db.updateTable('webhook_endpoints').set({ paused_at: at }).where('community_id', '=', communityId);
    await run(connection, pause.where('endpoint', '=', endpoint));
    if (ownerChannelId !== null)
      await enqueue(sql, [ownerReport(communityId, ownerChannelId, webhookPausedReport, { host, reason: error }, at)]);
    return true;
  },

  /**
   * Tells of the streaks of a community that have ended before a day, once, in whatever process.
   * @param ended.checkedUntil the first day that was not checked before, as it was read (day number); null for none
   */
  async streaksEnded(
    sql: EventSql,
    communityId: CommunityId,
    ended: {
      readonly checkedUntil: number | null;
      readonly until: number;
      readonly streaks: readonly { readonly userId: string; readonly days: number }[];
    },
    now: number,
  ): Promise<void> {
    const { checkedUntil, until, streaks } = ended;
    if (!(await advance(sql, streaksKey(communityId), checkedUntil, until))) return;
    const endedOn = formatDay(until - 1);
    for (const { userId, days } of streaks)
      await tellOf(sql, communityId, { type: 'streak.ended', data: { userId, days, endedOn } }, now);
  },

  /** Has a paused endpoint tried again. */
  forgetFailures,

  /**
   * Has the buried requests to an endpoint sent again that were stored at a time or later, at most 500. Returns how many;
   * it is to be repeated after that many.
   */
  async resend(
    { db, connection }: EventSql,
    { communityId, endpoint }: EndpointKey,
    since: number,
    now: number,
  ): Promise<number> {
    const buried = db.selectFrom('effects').select('id').where('state', '=', literal('buried'));
    const own = buried.where('kind', '=', webhookKind.kind).where('queue', '=', endpointQueue(communityId, endpoint));
    const rows = await run(connection, own.where('created_at', '>=', since).orderBy('id').limit(prunedAtOnce));
    if (rows.length === 0) return 0;
    const again = { state: 'waiting', attempts: 0, due_at: now, finished_at: null, reason: null } as const;
    const ids = rows.map(({ id }) => id);
    await run(
      connection,
      db
        .updateTable('effects')
        .set({ ...again, created_at: now, nonce: null })
        .where('id', 'in', ids),
    );
    return rows.length;
  },

  /** Deletes what is older than it is kept. Returns whether there may be more. */
  async prune({ db, connection }: EventSql, now: number): Promise<boolean> {
    // The newest event stays, because SQLite would use its id again.
    const newest = db.selectFrom('events').select(({ fn }) => fn.max('id').as('id'));
    const oldEvents = db
      .selectFrom('events')
      .select('id')
      .where('at', '<', now - streamKeptMs)
      .where('id', '<', newest);
    const oldAttempts = db
      .selectFrom('webhook_attempts')
      .select('id')
      .where('at', '<', now - attemptsKeptMs);
    const events = await run(connection, oldEvents.orderBy('id').limit(prunedAtOnce));
    const attempts = await run(connection, oldAttempts.orderBy('id').limit(prunedAtOnce));
    for (const [table, rows] of [
      ['events', events],
      ['webhook_attempts', attempts],
    ] as const) {
      const ids = rows.map(({ id }) => id);
      if (ids.length > 0) await run(connection, db.deleteFrom(table).where('id', 'in', ids));
    }
    return events.length === prunedAtOnce || attempts.length === prunedAtOnce;
  },
};

async function forgetFailures({ db, connection }: EventSql, { communityId, endpoint }: EndpointKey): Promise<void> {
  const own = db.deleteFrom('webhook_endpoints').where('community_id', '=', communityId);
  await run(connection, own.where('endpoint', '=', endpoint));
}

const deletions = [
  deleteRowsByKey<EventTables>('events', 'community_id', ['id']),
  deleteRowsByKey<EventTables>('webhook_attempts', 'community_id', ['id']),
  deleteRowsByKey<EventTables>('webhook_endpoints', 'community_id', ['community_id', 'endpoint']),
  deleteRowsByKey<EventTables>('event_audiences', 'community_id', ['community_id']),
];

/** Deletes the events of a community that has ended. */
export async function deleteEventsOfGuild(sql: Sql, guild: EndedGuild): Promise<boolean> {
  for (const deleteRows of deletions) if (await deleteRows(sql, guild)) return true;
  await deleteProgress(sql, [streaksKey(guild.communityId)]);
  return false;
}

export type EventStore = SqlClient<{ readonly reads: typeof reads; readonly writes: typeof writes }>;
