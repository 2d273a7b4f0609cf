import type { Kysely } from 'kysely';
import type { Clock } from '../../../platform/clock.ts';
import type { Connection } from '../../../platform/database/dialect.ts';
import type { AnnouncementStore } from '../../tally/announcement-store.ts';
import { run } from '../query-builder.ts';
import type { Tables } from '../tables.ts';
import { isPollDue, progressKeys, selectProgress } from '../writes/announcements.ts';
import type { Write } from '../writes/writes.ts';
import { findLostStreaks } from './lost-streaks.ts';
import { sqlVoteSummaries } from './vote-summary.ts';

export function sqlAnnouncements(
  db: Kysely<Tables>,
  reading: Connection,
  clock: Clock,
  write: Write,
): AnnouncementStore {
  const summarizeVotes = sqlVoteSummaries(db, reading, clock);

  async function progressOf(key: string): Promise<number | null> {
    const [row] = await run(reading, selectProgress(db, key));
    return row?.until_at ?? null;
  }

  return {
    announcedUntil: (listing) => progressOf(progressKeys.digest(listing)),
    votesBetween: (listing, from, until) => summarizeVotes({ listing, from, until }),
    planDigest: (digest, now) => write('planDigest', digest, now),
    keepDigestsOf: (listings) => write('keepDigestsOf', listings),
    streaksCheckedUntil: (key) => progressOf(progressKeys.lostStreaks(key)),
    lostStreaks: (query) => findLostStreaks(db, reading, query),
    planLostStreaks: (lost, now) => write('planLostStreaks', lost, now),
    async claimReviewPoll(listing, now, nextAt) {
      const dueAt = await progressOf(progressKeys.reviewPoll(listing));
      // Usually it is not due, and a read needs no lock.
      return isPollDue(dueAt, now) && write('claimReviewPoll', listing, now, nextAt);
    },
    announceReviews: (listed, now) => write('announceReviews', listed, now),
  };
}
