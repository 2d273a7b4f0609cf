import type { CopyFormat } from '@tallyhook/platform/database/snapshots/backup';
import { type DatabaseStatus, statusOfDatabase } from '@tallyhook/platform/database/snapshots/database-status';
import type { DatabaseProgram } from '@tallyhook/platform/database/snapshots/program';
import type { DatabaseSnapshot } from '@tallyhook/platform/database/snapshots/snapshot';
import { type RawBuilder, sql } from 'kysely';
import { migrationNames } from './migrations/index.ts';
import type { ServiceTables } from './tables.ts';

export type ServiceSnapshot = DatabaseSnapshot<ServiceTables>;

const service: DatabaseProgram = { name: 'the listing service', migrations: migrationNames };

/** Contents of a verified copy. Times are ms since the epoch. */
export interface ServiceContents {
  readonly listings: number;
  readonly members: number;
  readonly votes: number;
  readonly reviews: number;
  readonly lastVoteAt: number | null;
  /** The number of listings whose counts are not those of their votes and reviews. An exact copy has them too. */
  readonly countDifferences: number;
}

/** Reads the status of the service's database without creating or migrating it. Never throws. */
export function readServiceDatabaseStatus(address: string): Promise<DatabaseStatus> {
  return statusOfDatabase(address, service);
}

export const serviceCopyFormat: CopyFormat<ServiceTables, ServiceContents> = {
  program: service,
  databaseHint: 'Check --database and the working directory.',
  commands: { backup: 'listing-service backup', doctor: 'listing-service doctor' },
  programToStop: 'the service',
  readContents,
};

async function readContents(snapshot: ServiceSnapshot): Promise<ServiceContents> {
  const { db, run } = snapshot;
  const count = async (table: 'listings' | 'members' | 'votes' | 'reviews') => {
    const [row] = await run(db.selectFrom(table).select(({ fn }) => fn.countAll<number>().as('count')));
    return Number(row?.count ?? 0);
  };
  // Ids grow in the order of the votes.
  const [last] = await run(db.selectFrom('votes').select('voted_at').orderBy('id', 'desc').limit(1));
  return {
    listings: await count('listings'),
    members: await count('members'),
    votes: await count('votes'),
    reviews: await count('reviews'),
    lastVoteAt: last?.voted_at ?? null,
    countDifferences: (await countDifferences(snapshot)).length,
  };
}

/** A listing whose counts, which lookups return, are not those of its rows. */
export interface CountDifference {
  readonly listingId: string;
  readonly what: 'votes' | 'reviews';
  readonly counted: number;
  readonly rows: number;
}

interface Sums {
  readonly listing_id: string;
  readonly counted: number | string;
  readonly found: number | string;
}

/**
 * Compares the counts of listings with their votes and reviews.
 * @param sample how many listings are compared, chosen at random; without it, all of them, in a scan of all votes
 */
export async function countDifferences(
  snapshot: DatabaseSnapshot<ServiceTables>,
  sample?: number,
): Promise<CountDifference[]> {
  const rowsOf = <Row>(statement: RawBuilder<Row>) => snapshot.run({ compile: () => statement.compile(snapshot.db) });
  const chosen =
    sample === undefined
      ? null
      : await rowsOf(sql<{ id: string }>`select id from listings order by random() limit ${sample}`);
  if (chosen?.length === 0) return [];
  const ofChosen = chosen === null ? sql`` : sql`where listing_id in (${sql.join(chosen.map(({ id }) => id))})`;
  const votes = await rowsOf(sql<Sums>`
    select listing_id, sum(counted) as counted, sum(found) as found from (
      select listing_id, votes as counted, 0 as found from vote_counts ${ofChosen}
      union all
      select listing_id, 0, count(*) from votes ${ofChosen} group by listing_id
    ) as sums group by listing_id having sum(counted) <> sum(found) order by listing_id`);
  const reviews = await rowsOf(sql<Sums>`
    select listing_id, sum(counted) as counted, sum(found) as found from (
      select listing_id, reviews as counted, rating_sum as counted_sum, 0 as found, 0 as found_sum
      from review_counts ${ofChosen}
      union all
      select listing_id, 0, 0, count(*), sum(rating) from reviews ${ofChosen} group by listing_id
    ) as sums group by listing_id
    having sum(counted) <> sum(found) or sum(counted_sum) <> sum(found_sum) order by listing_id`);
  const toDifference = (what: CountDifference['what']) => (row: Sums) => {
    return { listingId: row.listing_id, what, counted: Number(row.counted), rows: Number(row.found) };
  };
  return [...votes.map(toDifference('votes')), ...reviews.map(toDifference('reviews'))];
}
