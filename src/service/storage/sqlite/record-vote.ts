import type { SqliteEngine } from '../engine.ts';
import type { RecordVote } from '../record-vote.ts';

const insertVote = `
  insert into votes (listing_id, user_id, voted_at, denial_reason) select ?, ?, ?, ?
  where not exists (select 1 from votes where listing_id = ? and user_id = ? and voted_at > ?)
  returning id`;

const selectLastVote = 'select max(voted_at) as at from votes where listing_id = ? and user_id = ?';

const upsertMember = `
  insert into members (user_id, username) values (?, ?)
  on conflict (user_id) do update set username = excluded.username where username <> excluded.username`;

const insertDelivery = `
  insert into deliveries (
    id, listing_id, family, event, test, body, created_at, state, attempts, next_attempt_at, leased_until, lease_id
  )
  select ?, listing_id, family, ?, 0, ?, ?, 'waiting', 0, ?, null, null from webhooks
  where listing_id = ? and family = ?
  returning id`;

/** Records votes with statements that are compiled once. */
export function createRecordVote({ transact }: Pick<SqliteEngine, 'transact'>): RecordVote {
  return ({ listingId, voter: { userId, username }, votedAt, denialReason, cooldownStart, delivery }) =>
    transact((execute) => {
      const vote = [listingId, userId, votedAt, denialReason, listingId, userId, cooldownStart];
      if (execute(insertVote, vote).length === 0) {
        const [last] = execute(selectLastVote, [listingId, userId]) as { at: number | null }[];
        return { recorded: false, lastVoteAt: last?.at ?? votedAt };
      }
      execute(upsertMember, [userId, username]);
      const { id, event, body, createdAt, family } = delivery;
      const queued = execute(insertDelivery, [id, event, body, createdAt, createdAt, listingId, family]);
      return { recorded: true, isQueued: queued.length > 0 };
    });
}
