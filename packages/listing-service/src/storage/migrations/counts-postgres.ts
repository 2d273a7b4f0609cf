/**
 * The counts on PostgreSQL, where transactions run at once: each connection counts votes in a slot of its own, because
 * all votes for a listing would wait for the commit of the one before if they changed the same row. Triggers run once per
 * statement, and change rows in the order of their keys, so that two statements cannot wait for each other.
 */
const slots = 8;

/** The month of a time in ms, UTC: 202612. */
const monthOf = (column: string) => `to_char(to_timestamp(${column} / 1000) at time zone 'UTC', 'YYYYMM')::bigint`;

const trigger = (name: string, table: string, event: string, transition: string, body: string) => [
  `create function ${name}() returns trigger language plpgsql as $$ begin ${body}; return null; end $$`,
  `create trigger ${name} after ${event} on ${table} referencing ${transition}
    for each statement execute function ${name}()`,
];

export const postgresCounts = [
  `create table vote_counts (
    listing_id text not null, month bigint not null, slot int not null default 0, votes bigint not null,
    primary key (listing_id, month, slot)
  ) with (fillfactor = 70)`,
  ...trigger(
    'votes_counted',
    'votes',
    'insert',
    'new table as added',
    `insert into vote_counts as counts (listing_id, month, slot, votes)
      select listing_id, ${monthOf('voted_at')}, pg_backend_pid() % ${slots}, count(*) from added
      group by 1, 2 order by 1, 2
      on conflict (listing_id, month, slot) do update set votes = counts.votes + excluded.votes`,
  ),
  ...trigger(
    'votes_uncounted',
    'votes',
    'delete',
    'old table as removed',
    `insert into vote_counts as counts (listing_id, month, slot, votes)
      select listing_id, ${monthOf('voted_at')}, pg_backend_pid() % ${slots}, -count(*) from removed
      group by 1, 2 order by 1, 2
      on conflict (listing_id, month, slot) do update set votes = counts.votes + excluded.votes`,
  ),
  `create table review_counts (
    listing_id text primary key, reviews bigint not null, rating_sum bigint not null, version bigint not null
  ) with (fillfactor = 70)`,
  ...trigger(
    'reviews_counted',
    'reviews',
    'insert',
    'new table as added',
    `insert into review_counts as counts (listing_id, reviews, rating_sum, version)
      select listing_id, count(*), sum(rating), 1 from added group by 1 order by 1
      on conflict (listing_id) do update
        set reviews = counts.reviews + excluded.reviews, rating_sum = counts.rating_sum + excluded.rating_sum,
          version = counts.version + 1`,
  ),
  ...trigger(
    'reviews_changed',
    'reviews',
    'update',
    'old table as before new table as changed',
    `insert into review_counts as counts (listing_id, reviews, rating_sum, version)
      select listing_id, 0, sum(rating), 1
      from (
        select listing_id, -rating as rating from before union all select listing_id, rating from changed
      ) as ratings group by 1 order by 1
      on conflict (listing_id) do update
        set rating_sum = counts.rating_sum + excluded.rating_sum, version = counts.version + 1`,
  ),
  ...trigger(
    'reviews_uncounted',
    'reviews',
    'delete',
    'old table as removed',
    `insert into review_counts as counts (listing_id, reviews, rating_sum, version)
      select listing_id, -count(*), -sum(rating), 1 from removed group by 1 order by 1
      on conflict (listing_id) do update
        set reviews = counts.reviews + excluded.reviews, rating_sum = counts.rating_sum + excluded.rating_sum,
          version = counts.version + 1`,
  ),
];
