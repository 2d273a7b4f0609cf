/** The writing thread of the floor: repeats the rows of the newest vote in a database, `workerData`, with new keys. */
import { randomBytes } from 'node:crypto';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

interface Copied {
  readonly insert: StatementSync;
  readonly columns: readonly { readonly value: SQLInputValue; readonly isKey: boolean }[];
}

const database = new DatabaseSync(String(workerData));
database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
const newest = database.prepare('SELECT user_id AS user, id, body FROM deliveries ORDER BY id DESC LIMIT 1').get();
const [user, body] = [String(newest?.['user']), String(newest?.['body'])];
const delivery = Number(newest?.['id']);

/** Tables of which a vote writes one row have a row for each of the two votes. */
const copied: readonly Copied[] = database
  .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
  .all()
  .flatMap((table) => {
    const name = String(table['name']);
    const rows = database.prepare(`SELECT * FROM "${name}"`).all();
    const row = rows.find((each) => Object.values(each).some((value) => String(value).includes(user))) ?? rows.at(-1);
    if (row === undefined || rows.length !== delivery) return [];
    const keys = database
      .prepare(
        `SELECT columns.name FROM pragma_index_list('${name}') AS indexes, pragma_index_info(indexes.name) AS columns
         WHERE indexes."unique" UNION SELECT name FROM pragma_table_info('${name}') WHERE pk > 0`,
      )
      .all()
      .map((each) => each['name']);
    const names = Object.keys(row);
    return {
      insert: database.prepare(
        `INSERT OR REPLACE INTO "${name}" (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
      ),
      columns: Object.entries(row).map(([column, value]) => ({
        value,
        isKey: keys.includes(column) || column === 'delivery_id' || column === 'last_entry',
      })),
    };
  });
const [begin, commit] = [database.prepare('BEGIN'), database.prepare('COMMIT')];

function write(number: number, text: string): void {
  const { userId }: { userId: string } = JSON.parse(text);
  for (const { insert, columns } of copied) {
    insert.run(
      ...columns.map(({ value, isKey }) => {
        if (value === body) return text;
        if (typeof value === 'string' && value.includes(user)) return value.replace(user, userId);
        if (!isKey) return value;
        if (typeof value === 'number') return value + number;
        return typeof value === 'string' ? `${value}${number}` : digestAfter(number);
      }),
    );
  }
}

/** As those of events, which begin with their time: new ones are added at the end. */
function digestAfter(number: number): Buffer {
  const digest = randomBytes(16);
  digest.writeUIntBE(number, 0, 6);
  return digest;
}

let waiting: (readonly [number: number, body: string])[] = [];
parentPort?.on('message', (votes: typeof waiting) => {
  if (waiting.length === 0) setImmediate(flush);
  waiting.push(...votes);
});

function flush(): void {
  const votes = waiting;
  waiting = [];
  begin.run();
  for (const [number, text] of votes) write(number, text);
  commit.run();
  parentPort?.postMessage(votes.map(([number]) => number));
}
