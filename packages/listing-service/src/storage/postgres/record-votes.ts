import { createBatches } from '../batches.ts';
import {
  type NewVoteRecord,
  type PostgresEngine,
  type RecordVote,
  unknownListing,
  type VoteRecordResult,
} from '../engine.ts';

/** A text as PostgreSQL can store it: without NUL, and without half of a surrogate pair, which JSON would not accept. */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}

/** The parameters of a statement as PostgreSQL can store them. */
export function storable(parameters: readonly unknown[]): unknown[] {
  return parameters.map((value) => (typeof value === 'string' ? storableText(value) : value));
}

/** Larger batches are not faster. */
const maxVotes = 64;
/** While one batch waits for its commit, others are executed. */
const maxRunning = 3;

/**
 * All votes of a member wait for each other here, in the order of the ids, so that no two batches block each other. Only a
 * row that exists can be locked, also if the member is deleted at the same time: `do update` inserts it or locks it.
 */
const lockMembers = `
  insert into members as stored (user_id, username)
  select distinct on (user_id) user_id, username
  from json_to_recordset($1::json) as rows (user_id text, username text) order by user_id
  on conflict (user_id) do update set username = stored.username where false`;

/** A statement of its own, so that it sees the votes that were committed before the locks. */
const insertVotes = `
  with
    rows as materialized (
      select rows.*, listings.id is not null as is_listed from json_to_recordset($1::json) as rows (
        place int, listing_id text, user_id text, username text, voted_at bigint, denial_reason text,
        cooldown_start bigint, delivery_id text, family text, event text, body text, created_at bigint
      ) left join listings on listings.id = rows.listing_id and listings.state <> 'deleting'
    ),
    fresh as materialized (
      select * from rows where is_listed and not exists (
        select from votes
        where votes.listing_id = rows.listing_id and votes.user_id = rows.user_id and voted_at > cooldown_start
      )
    ),
    new_votes as (
      insert into votes (listing_id, user_id, voted_at, denial_reason)
      select listing_id, user_id, voted_at, denial_reason from fresh order by place
    ),
    renamed as (
      update members set username = fresh.username from fresh
      where members.user_id = fresh.user_id and members.username <> fresh.username
    ),
    new_deliveries as (
      insert into deliveries (
        id, listing_id, family, event, test, body, created_at, state, attempts, next_attempt_at
      )
      select delivery_id, listing_id, family, event, 0, body, created_at, 'waiting', 0, created_at
      from fresh join webhooks using (listing_id, family) order by place
      returning id
    )
  select rows.is_listed as "isListed", fresh.place is not null as recorded, new_deliveries.id is not null as "isQueued",
    case when fresh.place is null then (
      select max(voted_at) from votes where votes.listing_id = rows.listing_id and votes.user_id = rows.user_id
    ) end as "lastVoteAt"
  from rows left join fresh using (place) left join new_deliveries on new_deliveries.id = rows.delivery_id
  order by rows.place`;

/** Records votes that arrive at the same time in one transaction, with one round trip to the server. */
export function createRecordVote({ transact }: Pick<PostgresEngine, 'transact'>): RecordVote {
  const nameOf = ({ listingId, voter }: NewVoteRecord) => `${listingId} ${storableText(voter.userId)}`;
  const record = createBatches({ maxItems: maxVotes, maxRunning }, nameOf, (votes: readonly NewVoteRecord[]) =>
    transact(async (transaction) => {
      const parameters = [JSON.stringify(votes.map(toRow))];
      transaction.send({ sql: lockMembers, parameters });
      const { rows } = await transaction.execute({ sql: insertVotes, parameters });
      return rows as (VoteRecordResult & { readonly isListed: boolean })[];
    }),
  );
  return async (vote) => {
    const { isListed, ...result } = await record(vote);
    if (!isListed) throw unknownListing();
    return result;
  };
}

function toRow({ listingId, voter, votedAt, denialReason, cooldownStart, delivery }: NewVoteRecord, place: number) {
  return {
    place,
    listing_id: listingId,
    user_id: storableText(voter.userId),
    username: storableText(voter.username),
    voted_at: votedAt,
    denial_reason: denialReason,
    cooldown_start: cooldownStart,
    delivery_id: delivery.id,
    family: delivery.family,
    event: delivery.event,
    body: delivery.body,
    created_at: delivery.createdAt,
  };
}
