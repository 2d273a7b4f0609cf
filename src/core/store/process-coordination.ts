import type { Kysely } from 'kysely';
import type { CircuitStore } from '../../discord/circuits/circuit-store.ts';
import type { InvalidRequestStore } from '../../discord/invalid-requests.ts';
import type { Connection } from '../../platform/database/dialect.ts';
import type { LeaseStore } from '../../platform/leases/lease-store.ts';
import type { Tables } from './tables.ts';
import { readCircuits, sumGuildRejections } from './writes/circuits.ts';
import { sumInvalidRequests } from './writes/invalid-requests.ts';
import type { Write } from './writes/writes.ts';

/** What several processes share about themselves, over SQL. */
export interface ProcessCoordination {
  readonly leases: LeaseStore;
  readonly invalidRequests: InvalidRequestStore;
  readonly circuits: CircuitStore;
}

export function sqlProcessCoordination(db: Kysely<Tables>, reading: Connection, write: Write): ProcessCoordination {
  return {
    leases: {
      join: (...args) => write('joinLeases', ...args),
      renew: (...args) => write('renewLeases', ...args),
      take: (...args) => write('takeLeases', ...args),
      release: (...args) => write('releaseLeases', ...args),
      remove: (...args) => write('removeLeaseHolder', ...args),
      resize: (...args) => write('resizeLeases', ...args),
    },
    invalidRequests: {
      add: (minute, count) => write('addInvalidRequests', minute, count),
      sum: (from, until) => sumInvalidRequests(db, reading, from, until),
    },
    circuits: {
      all: () => readCircuits(db, reading),
      save: (open, closed) => write('saveCircuits', open, closed),
      addRejections: (minute, counts) => write('addGuildRejections', minute, counts),
      rejections: (from, until) => sumGuildRejections(db, reading, from, until),
    },
  };
}
