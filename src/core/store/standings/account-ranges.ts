import { type SelectQueryBuilder, sql } from 'kysely';
import { type AccountScope, homeAccounts } from '../../ledger/account.ts';
import { literal, type SqlAccess } from '../query-builder.ts';
import type { Tables } from '../tables.ts';

/** A range of account ids in the order of the database; null for no end. */
export interface AccountRange {
  readonly after: string;
  readonly before: string | null;
}

/**
 * The ranges in which the accounts of a community are, so that a scan of them does not read the accounts of others. Those
 * of a guild have an index. Those of the home community are in the primary key between the blocks of the guilds, because
 * an index of them would make every new member more expensive; usually there is only one range.
 */
export async function accountRanges(
  { db, connection }: SqlAccess,
  accounts: AccountScope,
): Promise<readonly AccountRange[]> {
  if (accounts !== homeAccounts) return [{ after: '', before: null }];
  const blocks = (await connection.run(selectBlocks.compile(db))) as readonly { first: string; last: string }[];
  const starts = ['', ...blocks.map(({ last }) => last)];
  return starts.map((after, index) => ({ after, before: blocks[index]?.first ?? null }));
}

/** Restricts a query of balances to the accounts of a community in such a range, in the order of their ids. */
export function inRange<Output>(
  query: SelectQueryBuilder<Tables, 'balances', Output>,
  accounts: AccountScope,
  { after, before }: AccountRange,
) {
  const following = query.where('user_id', '>', after).orderBy('user_id');
  if (accounts !== homeAccounts) {
    // The index is partial, and an engine has to see its condition.
    return following.where('guild_id', '=', accounts).where('guild_id', '<>', literal(homeAccounts));
  }
  const ofHome = following.where('guild_id', '=', literal(homeAccounts));
  return before === null ? ofHome : ofHome.where('user_id', '<', before);
}

/** Each guild with its first and its last account, one index search each. */
const selectBlocks = sql`
  with recursive guilds(id) as (
    select min(guild_id) from balances where guild_id <> ''
    union all
    select (select min(guild_id) from balances where guild_id <> '' and guild_id > guilds.id)
    from guilds where guilds.id is not null
  )
  select
    (select min(user_id) from balances where guild_id <> '' and guild_id = guilds.id) as first,
    (select max(user_id) from balances where guild_id <> '' and guild_id = guilds.id) as last
  from guilds where guilds.id is not null
  order by first`;
