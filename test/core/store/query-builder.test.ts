import type { Connection, Query } from '@tallyhook/platform/database/dialect';
import { literalLimits } from '@tallyhook/platform/database/sqlite-dialect';
import { describe, expect, it } from 'vitest';
import { accountIdOf, type CommunityId } from '../../../src/core/ledger/account.ts';
import { preparedStatement, queryBuilder } from '../../../src/core/store/query-builder.ts';
import { createFindLastVotes } from '../../../src/core/store/standings/standings.ts';
import { firstCommunity } from '../../support/communities.ts';

const db = queryBuilder({ kysely: literalLimits });

/** A connection that notes what it is to run. */
function notingConnection(rows: readonly unknown[] = []) {
  const queries: Query[] = [];
  const connection: Connection = {
    async run(query) {
      queries.push(query);
      return rows;
    },
  };
  return { connection, queries };
}

describe('a prepared statement', () => {
  it('is built once for each length of its lists, and gets the values in their places', async () => {
    let built = 0;
    const find = preparedStatement<{ ids: readonly string[]; until: number }>()((builder, placeholder) => {
      built += 1;
      return builder
        .selectFrom('grants')
        .select('role')
        .where('until', '<', placeholder('until'))
        .where('user_id', 'in', placeholder('ids'));
    });
    const { connection, queries } = notingConnection();
    await find({ db, connection }, { ids: ['1', '2'], until: 5 });
    await find({ db, connection }, { ids: ['3', '4'], until: 6 });
    await find({ db, connection }, { ids: ['5'], until: 7 });
    const text = 'select "role" from "grants" where "until" < ? and "user_id" in';
    expect(queries).toMatchObject([
      { sql: `${text} (?, ?)`, parameters: [5, '1', '2'] },
      { sql: `${text} (?, ?)`, parameters: [6, '3', '4'] },
      { sql: `${text} (?)`, parameters: [7, '5'] },
    ]);
    expect(built).toBe(2);
  });

  it('has its limit in the text on SQLite, which would otherwise prepare it for each run', () => {
    const { sql, parameters } = db.selectFrom('grants').select('role').where('user_id', '=', '1').limit(5).compile();
    expect({ sql, parameters }).toEqual({
      sql: 'select "role" from "grants" where "user_id" = ? limit 5',
      parameters: ['1'],
    });
  });
});

it('reads the last votes of an account once for all who ask at the same time, and again for those who ask later', async () => {
  const { connection, queries } = notingConnection([{ last_votes: '{"server":7}' }]);
  const findLastVotes = createFindLastVotes(db, connection);
  const id = accountIdOf(firstCommunity, '1');
  expect(await Promise.all([findLastVotes(id), findLastVotes(id)])).toEqual([{ server: 7 }, { server: 7 }]);
  expect(queries).toHaveLength(1);
  await Promise.all([findLastVotes(id), findLastVotes(accountIdOf(9 as CommunityId, '1'))]);
  expect(queries.map(({ parameters }) => parameters)).toEqual([['1:1'], ['1:1'], ['9:1']]);
});
