import { formatCount } from '../../platform/durations.ts';
import { exitCode, type Terminal } from '../../platform/terminal/terminal.ts';
import { listingsInState, moderationQueue } from '../abuse/moderation-queue.ts';
import { countOpenReports, type ReportTarget } from '../abuse/reports.ts';
import type { Database } from '../storage/database.ts';
import type { ServiceValues } from './options.ts';

const maxRows = 100;

/** `tallyhook service moderation`: what waits for an operator. */
export async function moderation(database: Database, values: ServiceValues, { print }: Terminal): Promise<number> {
  const openReports = await countOpenReports(database);
  const { items } = await moderationQueue(database, { limit: maxRows, offset: 0 });
  const pending = await listingsInState(database, 'pending', maxRows);
  if (values.json) {
    const reported = items.map(({ target, total, reports }) => ({
      ...target,
      reports: total,
      reasons: reports.map(({ reason, text }) => ({ reason, text })),
    }));
    const waiting = pending.map(({ id, kind, name, ownerId }) => ({ id, kind, name, ownerId }));
    print(JSON.stringify({ openReports, reported, pending: waiting }));
    return exitCode.ok;
  }
  print(`${formatCount(openReports, 'open report')}, ${formatCount(pending.length, 'listing')} waiting for approval.`);
  for (const { id, kind, name, ownerId } of pending) print(`  pending ${kind} ${id}  ${name}, of ${ownerId}`);
  for (const { target, total, listing } of items) {
    print(`  ${formatCount(total, 'report')} of ${subject(target)}  ${listing?.name ?? 'deleted'}`);
  }
  return exitCode.ok;
}

function subject({ kind, listingId, reviewUserId }: ReportTarget): string {
  return kind === 'listing' ? `listing ${listingId}` : `the review of ${reviewUserId} for ${listingId}`;
}
