import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { prepareInsert } from '../../src/database/sqlite-insert.ts';

const columns = ['id', 'kind', 'reason', 'count', 'content'] as const;
const usual = { kind: "it's a vote", reason: null, count: 0 };
const replace = columns.map((name) => `${name} = excluded.${name}`).join(', ');

function openTable() {
  const database = new DatabaseSync(':memory:');
  database.exec('create table rows (id integer primary key, kind text, reason text, count integer, content text)');
  return {
    insert: prepareInsert(database, 'rows', columns, usual, `on conflict (id) do update set ${replace}`),
    rows: () => database.prepare('select * from rows order by id').all(),
  };
}

describe('prepareInsert', () => {
  it('stores each row as it is, with usual and other values, also over an earlier one', () => {
    const row = fc.record({
      id: fc.integer({ min: 1, max: 5 }),
      kind: fc.constantFrom("it's a vote", 'a claim', '', null),
      reason: fc.constantFrom('denied', '', null),
      count: fc.constantFrom(0, 1, -1, null),
      content: fc.constantFrom('text', null),
    });
    fc.assert(
      fc.property(fc.array(row), (stored) => {
        const { insert, rows } = openTable();
        for (const each of stored) insert(columns.map((name) => each[name]));
        const newest = new Map(stored.map((each) => [each.id, each]));
        const expected = [...newest.values()].sort((one, other) => one.id - other.id);
        expect(rows().map((found) => ({ ...found }))).toEqual(expected.map((each) => ({ ...each })));
      }),
    );
  });
});
