import { randomUUID } from 'node:crypto';
import type { Clock } from '@tallyhook/platform/clock';
import type { PostgresTransactions } from '@tallyhook/platform/database/postgres-transactions';
import {
  type Reservation,
  type ReservationRequest,
  type ReservationRules,
  type Reservations,
  reserve,
  settled,
} from '../../rate-limit/reserve.ts';
import { insertArrays } from '../bulk-insert.ts';
import type { PostgresEngine } from '../engine.ts';
import { reservationColumns, reservationValues, toReservation } from '../limit/reservations.ts';
import type { Row } from '../tables.ts';

export interface PostgresReservationsOptions {
  readonly engine: PostgresEngine;
  readonly clock: Clock;
  readonly rules: ReservationRules;
  /** The time that all processes share (ms since the epoch); the clock of the server by default. For tests. */
  readonly sharedTime?: () => number;
}

/** The first number of the advisory locks of keys. */
const lockSpace = 1_951_757_651;
const time = '(extract(epoch from clock_timestamp()) * 1000)::bigint';

const lockKeys = {
  sql: `select pg_advisory_xact_lock(${lockSpace}, id)
    from (select id::int from unnest($1::bigint[]) as keys (id) order by id) as ordered`,
};
const upsert = insertArrays(
  'request_reservations',
  reservationColumns,
  ` on conflict (key_id, holder) do update set counted_json = excluded.counted_json, reserved = excluded.reserved,
    usable_until = excluded.usable_until, counts_until = excluded.counts_until`,
);

/**
 * Reservations of any number of machines, in PostgreSQL, with the clock of its server. All keys that wait are reserved
 * in one transaction of three round trips, which locks the keys in the order of their ids. It is committed as any other
 * (`synchronous_commit`): without, a restarted server could have lost a block that was used, and no process would know.
 */
export function postgresReservations(options: PostgresReservationsOptions): Reservations {
  const { engine, clock, rules, sharedTime } = options;
  const holder = randomUUID();

  /** The time of the server, read after the monotonic one, so that what is stored is later, never earlier. */
  async function readClock(transaction: PostgresTransactions) {
    const monotonic = clock.monotonic();
    const { rows } = await transaction.execute({ sql: `select ${time} as now`, parameters: [] });
    const now = sharedTime?.() ?? (rows as { now: number }[])[0]?.now ?? Number.NaN;
    return { now: () => now, monotonic: () => monotonic };
  }

  function store(transaction: PostgresTransactions, stored: readonly (readonly [number, Reservation])[]): void {
    if (stored.length === 0) return;
    transaction.send(upsert(stored.flatMap(([keyId, reservation]) => reservationValues(keyId, reservation))));
  }

  return {
    reserveNow: () => null,
    reserve: (requests) =>
      engine.transact(async (transaction) => {
        const keyIds = requests.map(({ keyId }) => keyId);
        transaction.send({ ...lockKeys, parameters: [keyIds] });
        const selected = transaction.execute({
          sql: 'select * from request_reservations where key_id = any($1::bigint[]) and holder <> $2',
          parameters: [keyIds, holder],
        });
        const [{ rows }, shared] = await Promise.all([selected, readClock(transaction)]);
        const others = Map.groupBy(rows as Row<'request_reservations'>[], (row) => row.key_id);
        const changed: [number, Reservation][] = [];
        const reserved = requests.map(({ keyId, own, wanted }: ReservationRequest) =>
          reserve(
            {
              others: () => (others.get(keyId) ?? []).map(toReservation),
              store: (reservation) => void changed.push([keyId, reservation]),
            },
            { holder, own, wanted },
            rules,
            shared,
          ),
        );
        store(transaction, changed);
        return reserved;
      }),
    settle: (used) =>
      engine.transact(async (transaction) => {
        const shared = await readClock(transaction);
        const stored = used.map(({ keyId, own }) => [keyId, settled({ holder, own }, shared)] as const);
        store(transaction, stored);
      }),
    async deleteOld() {
      const until = sharedTime === undefined ? `${time} - $1::bigint` : '$1::bigint';
      await engine.transact((transaction) =>
        transaction.execute({
          sql: `delete from request_reservations where counts_until <= ${until}`,
          parameters: [sharedTime === undefined ? rules.windowMs : sharedTime() - rules.windowMs],
        }),
      );
    },
    close: () => Promise.resolve(),
  };
}
