import type { SqlDialect } from '@tallyhook/platform/database/dialect';
import { postgresCounts } from './counts-postgres.ts';

/**
 * Counts votes and reviews where they are written, so that a lookup costs the same however many a listing has. Triggers
 * count for whatever writes.
 */
export function counts({ name }: SqlDialect): string[] {
  return name === 'sqlite' ? sqliteCounts : postgresCounts;
}

/** The month of a time in ms, UTC: 202612. */
const monthOf = (column: string) => `cast(strftime('%Y%m', ${column} / 1000, 'unixepoch') as integer)`;

const sqliteCounts = [
  `create table vote_counts (
    listing_id text not null, month integer not null, votes integer not null, primary key (listing_id, month)
  ) strict, without rowid`,
  `create trigger votes_counted after insert on votes begin
    insert into vote_counts values (new.listing_id, ${monthOf('new.voted_at')}, 1)
      on conflict (listing_id, month) do update set votes = votes + 1;
  end`,
  `create trigger votes_uncounted after delete on votes begin
    update vote_counts set votes = votes - 1
      where listing_id = old.listing_id and month = ${monthOf('old.voted_at')};
  end`,
  `create table review_counts (
    listing_id text primary key, reviews integer not null, rating_sum integer not null,
    version integer not null
  ) strict, without rowid`,
  `create trigger reviews_counted after insert on reviews begin
    insert into review_counts values (new.listing_id, 1, new.rating, 1) on conflict (listing_id) do update
      set reviews = reviews + 1, rating_sum = rating_sum + excluded.rating_sum, version = version + 1;
  end`,
  `create trigger reviews_changed after update on reviews begin
    update review_counts set rating_sum = rating_sum - old.rating + new.rating, version = version + 1
      where listing_id = new.listing_id;
  end`,
  `create trigger reviews_uncounted after delete on reviews begin
    update review_counts set reviews = reviews - 1, rating_sum = rating_sum - old.rating, version = version + 1
      where listing_id = old.listing_id;
  end`,
];
