import type { Compilable } from 'kysely';
import type { Connection } from '../../../platform/database/dialect.ts';
import { type EffectFormats, parseContent } from '../../outbox/effect-kind.ts';
import type { ExportedRows, MemberData } from '../../tally/member-data.ts';
import { findMemberRows, findMentions } from '../member-data/member-rows.ts';
import { memberTables } from '../member-data/member-tables.ts';
import { run } from '../query-builder.ts';
import type { Sql } from '../sql-module.ts';
import type { Write } from '../writes/writes.ts';
import { accountsOfMember } from './member-accounts.ts';

/** The members' data over SQL. */
export function sqlMemberData(sql: Sql, write: Write): MemberData {
  const { db, connection: reading } = sql;
  return {
    async export(userId) {
      const accounts = await accountsOfMember(reading, db, userId);
      const rows = await findMemberRows(sql, userId, accounts, await findMentions(db, reading, userId));
      const exported: [string, ExportedRows[string]][] = [];
      for (const [name, table] of Object.entries(memberTables)) {
        if (!('select' in table)) continue;
        const selected = await runAll(reading, table.select(db, rows));
        if (selected.length > 0) exported.push([name, selected.map((row) => readable(sql.effects, row))]);
      }
      return Object.fromEntries(exported);
    },
    async forget(userId, forgetting) {
      await write('forget', userId, await findMentions(db, reading, userId), forgetting);
    },
    deleteExpired: (now) => write('deleteExpired', now),
  };
}

async function runAll(reading: Connection, queries: readonly Compilable<object>[]): Promise<object[]> {
  const rows: object[] = [];
  for (const query of queries) rows.push(...(await run(reading, query)));
  return rows;
}

const jsonColumns = ['body', 'last_votes', 'history', 'roles'];

/** The row with its JSON columns parsed, and the fields of an effect's contents named. */
function readable(formats: EffectFormats, row: object): Record<string, unknown> {
  const columns = Object.entries<unknown>({ ...row });
  const kind = 'kind' in row ? String(row.kind) : '';
  return Object.fromEntries(
    columns.map(([name, value]) => {
      if (typeof value !== 'string') return [name, value];
      if (name === 'content') {
        const contents = parseContent(formats, kind, value);
        return [name, contents.kind === 'unreadable' ? parsed(value) : contents.content];
      }
      return [name, jsonColumns.includes(name) ? parsed(value) : value];
    }),
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
