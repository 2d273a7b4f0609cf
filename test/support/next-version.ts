import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';

const repository = new URL('../..', import.meta.url).pathname;

/** What a next version could need of the table that every vote writes to. */
const migration = `
import { sql } from 'kysely';
import type { Migration } from '../../../platform/database/migrations/migration.ts';
import type { Dialect } from '../dialect/dialect.ts';

export function next({ name }: Dialect): Migration {
  const ifNotExists = sql.raw(name === 'postgres' ? 'if not exists' : '');
  return {
    compatible: true,
    steps: [
      { up: (db) => sql\`alter table entries add column \${ifNotExists} doubled bigint\`.execute(db).then(() => {}) },
      {
        total: async () => 0,
        async chunk(db, after) {
          const ids = sql\`select id from entries where id > \${Number(after ?? 0)} order by id limit 20\`;
          const changed = sql\`update entries set doubled = credits * 2 where id in (\${ids}) returning id\`;
          const { rows } = await changed.execute(db);
          const last = Math.max(...rows.map((row) => Number((row as { id: number }).id)));
          return rows.length === 0 ? null : { cursor: String(last), rows: rows.length };
        },
      },
      { up: (db) => sql\`create index if not exists entries_doubled on entries (doubled)\`.execute(db).then(() => {}) },
    ],
  };
}
`;

/**
 * Copies the sources into a temporary directory, which is removed when the test has finished, and adds a compatible
 * migration. They run with the installed packages. Returns the directory.
 */
export function createNextVersion(): string {
  const directory = join(tempDir(), 'next-version');
  mkdirSync(directory);
  for (const path of ['package.json', 'src', 'commands', 'config', 'locales'])
    cpSync(join(repository, path), join(directory, path), { recursive: true });
  symlinkSync(join(repository, 'node_modules'), join(directory, 'node_modules'));
  const folder = join(directory, 'src/core/store/migrations');
  writeFileSync(join(folder, '002-next.ts'), migration);
  const index = join(folder, 'index.ts');
  const text = readFileSync(index, 'utf8');
  writeFileSync(
    index,
    `import { next } from './002-next.ts';\n${text.replace(/^(const all: .* = \{\n)([^}]*)/m, "$1$2  '002-next': next,\n")}`,
  );
  return directory;
}
