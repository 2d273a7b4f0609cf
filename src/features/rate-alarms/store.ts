import { day, hour } from '@tallyhook/platform/durations';
import { addedValue } from '../../core/added-value.ts';
import type { MessageType } from '../../core/outbox/effect-kind.ts';
import { addEventKeys, literal, run } from '../../core/store/query-builder.ts';
import type { Sql, SqlClient } from '../../core/store/sql-module.ts';
import type { EventKey } from '../../core/tally/idempotency-key.ts';
import { parseIdentities } from '../../core/tally/listing-context.ts';
import type { QuarantinedDelivery } from '../../core/tally/write-event.ts';
import { quarantineReasons } from '../../webhook/rejections.ts';

export interface RateAlarmTables {
  /** The rates of listings whose votes can be forged. */
  rate_alarms: { listing: string } & Rate;
}

export type RateAlarmSql = Sql<RateAlarmTables>;

export interface RateAlarm {
  /** The name of the listing, and that of its site. */
  readonly listing: string;
  readonly site: string;
  /** Votes that were paid in the hour, and those of a usual one. */
  readonly votes: number;
  readonly usual: number;
}

export const rateAlarmReport: MessageType<'rateAlarm', RateAlarm> = {
  type: 'rateAlarm',
  fields: { listing: ['string'], site: ['string'], votes: ['number'], usual: ['number'] },
};

/** A listing with something to decide, or whose decision is being carried out. Times are ms since the epoch. */
export interface Alarm {
  readonly listing: string;
  readonly state: RateState;
  readonly heldAt: number;
  /** Votes that were paid in the same hour before. */
  readonly paid: number;
  readonly usual: number;
}

export interface HeldListing extends Alarm {
  readonly held: number;
}

export type Decision = Parameters<typeof decided>[0];

export const reads = {
  alarms,

  /** The listings with an alarm, and the number of held votes, which takes some ms during an attack. */
  async held(sql: RateAlarmSql): Promise<readonly HeldListing[]> {
    const held: HeldListing[] = [];
    for (const alarm of await alarms(sql)) {
      const count = heldDeliveries(sql, alarm.listing).select(({ fn }) => fn.countAll<number>().as('count'));
      held.push({ ...alarm, held: (await run(sql.connection, count))[0]?.count ?? 0 });
    }
    return held;
  },

  /** None if another process has carried out the decision: what is held now waits for the next one. */
  async deliveries(
    sql: RateAlarmSql,
    { listing, state }: Alarm,
    limit: number,
  ): Promise<readonly QuarantinedDelivery[]> {
    const alarm = sql.db.selectFrom('rate_alarms').select('rejected_until').where('listing', '=', listing);
    const [decision] = await run(sql.connection, alarm.where('state', '=', state));
    if (decision === undefined) return [];
    const { rejected_until: until } = decision;
    const held = heldDeliveries(sql, listing);
    const decidedOn = until === null ? held : held.where('id', '<=', until);
    const oldest = decidedOn.select(quarantineColumns).orderBy('id').limit(limit);
    return (await run(sql.connection, oldest)).map(toQuarantined);
  },
};

export const writes = {
  /** False if there is nothing to decide. */
  async decide(sql: RateAlarmSql, listing: string, decision: Decision, now: number): Promise<boolean> {
    const { db, connection } = sql;
    const alarm = db.updateTable('rate_alarms').where('listing', '=', listing);
    // The row is locked from here on, so that all votes that were held before are committed.
    const held = alarm.set(decided(decision, now)).where('state', '=', 'held').returning('listing');
    if ((await run(connection, held)).length === 0) return false;
    if (decision === 'release') return true;
    const last = heldDeliveries(sql, listing).select(({ fn }) => fn.max('id').as('id'));
    const [newest] = await run(connection, last);
    await run(connection, alarm.set({ rejected_until: newest?.id ?? null }));
    return true;
  },

  /** When there are no more deliveries of the decision. */
  async finish(sql: RateAlarmSql, listing: string, now: number): Promise<void> {
    const { db, connection } = sql;
    const alarm = db.updateTable('rate_alarms').where('listing', '=', listing);
    // It locks the row: votes that are held at this moment are committed before those that remain are looked for.
    const locked = alarm.set(({ ref }) => ({ state: ref('state') })).where('state', '<>', 'held');
    const [rate] = await run(connection, locked.returning(['state', 'votes']));
    if (rate === undefined) return;
    const rest = await run(connection, heldDeliveries(sql, listing).select('id').limit(1));
    await run(connection, alarm.set(ended(rate, rest.length > 0, now)));
  },

  /** The votes of these deliveries are never paid, and those that have keys are duplicates when they are repeated. */
  async reject(sql: RateAlarmSql, ids: readonly number[], keys: readonly EventKey[]): Promise<void> {
    await addEventKeys(
      sql,
      keys.map((key) => Buffer.from(key, 'hex')),
    );
    const held = sql.db.updateTable('deliveries').where('id', 'in', ids).where('outcome', '=', 'quarantined');
    const rejected = { outcome: 'ignored', reason: quarantineReasons.rejected } as const;
    await run(sql.connection, held.where('reason', '=', quarantineReasons.rateAlarm).set(rejected));
  },
};

export type RateAlarmStore = SqlClient<{ readonly reads: typeof reads; readonly writes: typeof writes }>;

async function alarms({ db, connection }: RateAlarmSql): Promise<readonly Alarm[]> {
  const rows = await run(connection, db.selectFrom('rate_alarms').selectAll().where('state', 'is not', null));
  return rows.flatMap(({ listing, state, held_at: heldAt, votes: paid, usual }) =>
    state === null ? [] : [{ listing, state, heldAt: heldAt ?? 0, paid, usual: usual / 1_000 }],
  );
}

function heldDeliveries({ db }: RateAlarmSql, listing: string) {
  const quarantined = db.selectFrom('deliveries').where('outcome', '=', literal('quarantined'));
  // Redundant, but SQLite uses the partial index `deliveries_unusual` only if its condition is in the query.
  const unusual = quarantined.where('outcome', '<>', literal('recorded'));
  return unusual.where('reason', '=', quarantineReasons.rateAlarm).where('listing', '=', listing);
}

/** The votes of a listing by the hour, and what its owner is to decide. Times are ms since the epoch. */
export interface Rate {
  /** The hour that is counted now (hours since the epoch), and its paid votes. */
  readonly hour: number;
  readonly votes: number;
  /** Votes of a usual hour, in thousandths: a mean of this many earlier hours with votes. */
  readonly usual: number;
  readonly hours: number;
  /** `held`: until the owner decides; `releasing`, `rejecting`: the decision is being carried out. Null: neither. */
  readonly state: RateState | null;
  /** When the votes were held, or null. */
  readonly held_at: number | null;
  /** Until then, the owner expects many votes; null for never. */
  readonly expected_until: number | null;
  /**
   * The last delivery that is being rejected; null for all. The owner has not seen later ones, of which some may be genuine:
   * the secret may have been replaced since.
   */
  readonly rejected_until: number | null;
}

export type RateState = 'held' | 'releasing' | 'rejecting';

/** Votes in an hour that are never too many: a small or new listing has no usual hour yet. */
const minLimit = 50;
const factor = 10;
/** The mean is that of about a week, if there are votes at every hour. */
const maxHours = 7 * 24;
/** After a release, votes are not held for this time: more of them are expected (ms). */
const expectedMs = day;

function limitOf({ usual }: Pick<Rate, 'usual'>): number {
  return Math.max(minLimit, Math.floor((factor * usual) / 1_000));
}

/** True if further votes are held: also while those before are being rejected, because the flood may go on. */
export function isHeld({ state }: Pick<Rate, 'state'>): boolean {
  return state === 'held' || state === 'rejecting';
}

/** The rate with one more vote of this time; without it, and held, if it is one too many. */
export function addVote<Row extends Rate>(rate: Row, at: number): Row {
  if (isHeld(rate)) return rate;
  const now = Math.floor(at / hour);
  // The clock of another process may be a little behind.
  const isSameHour = now === rate.hour || now === rate.hour - 1;
  const current = isSameHour ? rate : { ...rate, ...withHour(rate), hour: now, votes: 0 };
  const isTooMany = current.votes >= limitOf(current);
  if (isTooMany && current.state === null && at >= (current.expected_until ?? 0))
    return { ...current, state: 'held', held_at: at };
  return { ...current, votes: current.votes + 1 };
}

function withHour({ votes, usual, hours }: Rate): Pick<Rate, 'usual' | 'hours'> {
  if (votes === 0) return { usual, hours };
  const number = Math.min(hours + 1, maxHours);
  return { hours: number, usual: Math.round(usual + (1_000 * votes - usual) / number) };
}

/** Columns that a decision of the owner changes. @param now ms since the epoch */
export function decided(decision: 'release' | 'reject', now: number) {
  return decision === 'release'
    ? ({ state: 'releasing', expected_until: now + expectedMs } as const)
    : ({ state: 'rejecting' } as const);
}

/**
 * Columns that the end of a decision changes: votes that were held meanwhile are the next ones to decide.
 * @param now ms since the epoch
 */
export function ended({ state, votes }: Pick<Rate, 'state' | 'votes'>, areSomeHeld: boolean, now: number) {
  if (areSomeHeld) return { state: 'held', held_at: now, rejected_until: null } as const;
  return { state: null, held_at: null, rejected_until: null, votes: state === 'rejecting' ? 0 : votes } as const;
}

/**
 * True if many more votes than usual are held for the owner, because anyone who sees a request can forge votes; a part of the rules of
 * a listing.
 */
export const rateAlarmRule = addedValue('rateAlarm', false);

export const quarantineColumns = [
  ...['id', 'received_at as receivedAt', 'family', 'listing', 'kind', 'user_id as userId', 'body', 'origin'],
] as const satisfies readonly string[];

export function toQuarantined({
  origin,
  ...row
}: Omit<QuarantinedDelivery, 'origin' | 'outcome'> & { readonly origin: string | null }): QuarantinedDelivery {
  return { ...row, origin: parseIdentities(origin) ?? [], outcome: 'quarantined' };
}
