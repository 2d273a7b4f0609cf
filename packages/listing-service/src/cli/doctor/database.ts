import { sqlitePathOf } from '@tallyhook/platform/database/database-url';
import type { DatabaseStatus } from '@tallyhook/platform/database/snapshots/database-status';
import { type DoctorCheck, type Finding, fail, pass, warn } from '@tallyhook/platform/doctor/check';
import { checkIntegrity, type DatabaseNames, evaluateStatus } from '@tallyhook/platform/doctor/database';
import { checkDisk } from '@tallyhook/platform/doctor/disk';
import { formatCount, formatDuration, hour, minute, pluralize } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import { openDatabase } from '../../storage/database.ts';
import { type CountDifference, countDifferences, type ServiceSnapshot } from '../../storage/database-format.ts';
import { type Queries, type QueueState, readQueueState } from '../../storage/deliveries/delivery-queue.ts';
import { probeDatabase } from '../../storage/settings.ts';

const names: DatabaseNames = {
  setting: '--database (or SERVICE_DATABASE_URL)',
  backup: 'listing-service backup FILE',
  restore: 'listing-service restore FILE',
  program: 'the service',
};

/** Listings whose rows are counted: all votes of a large database would take minutes. */
const sampleSize = 200;
const maxShownDifferences = 5;

export interface ServiceDatabase {
  readonly address: string;
  readonly status: DatabaseStatus;
  /** Null if this version cannot read the database as it is. */
  readonly snapshot: () => Promise<ServiceSnapshot | null>;
  /** The current time (ms since the epoch). */
  readonly now: () => number;
}

/** The checks of the database, which read it, and write one row to check that it is writable. */
export const databaseChecks: readonly DoctorCheck<ServiceDatabase>[] = [
  {
    name: 'database',
    async run({ address, status, snapshot }) {
      const finding = evaluateStatus(status, names);
      const opened = await snapshot();
      if (opened === null) return [finding];
      const path = sqlitePathOf(address);
      const integrity = path === null ? [] : [await checkIntegrity(opened, path, names)];
      return [finding, await checkWritable(address), ...integrity];
    },
  },
  {
    name: 'counts',
    async run({ snapshot }) {
      const opened = await snapshot();
      return opened === null ? [] : [await checkCounts(opened)];
    },
  },
  {
    name: 'webhooks',
    async run({ snapshot, now }) {
      const opened = await snapshot();
      return opened === null ? [] : checkWebhooks(opened, now());
    },
  },
  {
    name: 'disk',
    run({ address }) {
      const path = sqlitePathOf(address);
      return path === null ? [] : checkDisk(path, 'votes and reviews are rejected with 503');
    },
  },
];

async function checkWritable(address: string): Promise<Finding> {
  try {
    const database = await openDatabase(address);
    try {
      await probeDatabase(database);
    } finally {
      await database.destroy();
    }
    return pass('The database is writable.');
  } catch (error) {
    return fail(
      `The database is not writable: ${messageOf(error)}`,
      'Check the free disk space, the permissions of the file and its directory, and whether another program holds a lock.',
    );
  }
}

async function checkCounts(snapshot: ServiceSnapshot): Promise<Finding> {
  const { db, run } = snapshot;
  const [row] = await run(db.selectFrom('listings').select(({ fn }) => fn.countAll<number>().as('count')));
  const sample = Math.min(sampleSize, Number(row?.count ?? 0));
  return evaluateCounts(await countDifferences(snapshot, sampleSize), sample);
}

/** The counts that lookups return must be those of the rows. @param sample how many listings were compared */
function evaluateCounts(differences: readonly CountDifference[], sample: number): Finding {
  if (differences.length === 0) {
    return pass(`The counts of ${formatCount(sample, 'listing')} equal their votes and reviews.`);
  }
  const shown = differences
    .slice(0, maxShownDifferences)
    .map(({ listingId, what, counted, rows }) => `${listingId} counts ${counted} ${what}, but has ${rows}`);
  const { length } = differences;
  return fail(
    `${formatCount(length, 'count')} ${pluralize(length, 'differs', 'differ')} from the rows: ${shown.join('; ')}.`,
    'Rows or counts were changed outside of the service. Restore a backup, or report a bug.',
  );
}

/** Normal delay of a delivery that is due (ms). */
const maxNormalDelayMs = 5 * minute;
/** A webhook that has only failed for so long is mentioned (ms). */
const minFailingMs = 1 * hour;

interface WebhookState extends QueueState {
  /** Webhooks that only fail, and are not paused yet. */
  readonly failing: number;
}

/** @param now ms since the epoch */
export async function checkWebhooks(queries: Queries, now: number): Promise<Finding[]> {
  const { db, run } = queries;
  const [failing] = await run(
    db
      .selectFrom('webhooks')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('paused_at', 'is', null)
      .where('failing_since', '<=', now - minFailingMs),
  );
  return evaluateWebhooks({ ...(await readQueueState(queries, now)), failing: Number(failing?.count ?? 0) }, now);
}

export function evaluateWebhooks({ waiting, dueSince, paused, failing }: WebhookState, now: number): Finding[] {
  const findings = [evaluateDelay(waiting, dueSince === null ? 0 : now - dueSince)];
  if (paused > 0) {
    const message = `${formatCount(paused, 'webhook')} ${pluralize(paused, 'is', 'are')} paused.`;
    findings.push(warn(message, 'Their owners resume them on the dashboard. Their deliveries wait meanwhile.'));
  }
  if (failing > 0) {
    const message = `${formatCount(failing, 'webhook')} ${pluralize(failing, 'has', 'have')} only failed for an hour.`;
    findings.push(warn(message, 'If these are most of the webhooks, check the network and the DNS of this machine.'));
  }
  return findings;
}

function evaluateDelay(waiting: number, delayMs: number): Finding {
  if (delayMs <= maxNormalDelayMs) return pass(`No webhook delivery is late; ${waiting} wait.`);
  return fail(
    `A webhook delivery has been due for ${formatDuration(delayMs)}; ${waiting} wait.`,
    'Check that the service runs, and that its /readyz is 200.',
  );
}
