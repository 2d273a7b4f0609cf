import type { CopyFormat } from '../../platform/database/snapshots/backup.ts';
import { type DatabaseStatus, statusOfDatabase } from '../../platform/database/snapshots/database-status.ts';
import type { DatabaseProgram } from '../../platform/database/snapshots/program.ts';
import type { DatabaseSnapshot } from '../../platform/database/snapshots/snapshot.ts';
import { countDifferences } from './audit.ts';
import { migrationNames } from './migrations/index.ts';
import type { ServiceTables } from './tables.ts';

/** A snapshot of the service's database. */
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

/** How the service's database is copied and verified. */
export const serviceCopyFormat: CopyFormat<ServiceTables, ServiceContents> = {
  program: service,
  databaseHint: 'Check --database and the working directory.',
  commands: { backup: 'tallyhook service backup', doctor: 'tallyhook service doctor' },
  programToStop: 'the service',
  readContents: async (snapshot) => ({
    ...(await contentsOf(snapshot)),
    countDifferences: (await countDifferences(snapshot)).length,
  }),
};

async function contentsOf({ db, run }: ServiceSnapshot): Promise<Omit<ServiceContents, 'countDifferences'>> {
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
  };
}
