import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createPrng } from '@tallyhook/platform/prng';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { describe, expect, it } from 'vitest';
import {
  createKeyReader,
  createLostDigits,
  findColumns,
  interpretRow,
  parseMapping,
  type RowRules,
} from '../../../src/cli/import/interpret-row.ts';
import { createCsvParser, type Fields, type FileOptions, readRows } from '../../../src/cli/import/read-rows.ts';
import { createRehearsal } from '../../../src/cli/import/run-import.ts';
import { serverAndBot } from '../../support/listings.ts';

const id = '613425648685547541';
const now = Date.UTC(2026, 0, 5, 12);
const rules: RowRules = {
  columns: { user: 'user', credits: 'points', votes: 'votes', time: 'time' },
  ...{ rowsAre: 'balances', readKey: null, guildId: null, listing: 'server', listings: ['server'], votesAt: null },
  ...{ round: false, decimal: null, now },
};

/** What a row credits, short; otherwise the reason. */
function read(fields: Fields, changes: Partial<RowRules> = {}): unknown {
  const row = interpretRow({ user: id, ...fields }, { ...rules, ...changes });
  if (row.type !== 'items') return row.reason;
  return row.items.map(({ userId, credits, vote }) => [userId, credits, ...(vote === null ? [] : [vote.at])]);
}

const ambiguous = 'the credits can be 1234 or 1, as in 1.234: use --decimal "," for 1234, or --round for 1';

describe('a row', () => {
  it.each([
    [{ points: '150' }, [[id, 150]]],
    [{ points: '"150.00"' }, [[id, 150]]],
    [{ points: '0' }, 'nothing to credit'],
    [{ points: '' }, 'nothing to credit'],
    [{ points: '-1' }, 'the credits are negative'],
    [{ points: '1.5' }, 'the credits are not a whole number: --round cuts fractions off'],
    [{ points: 'many' }, 'the credits are not a number'],
    [{ points: '1.234' }, ambiguous],
    [{ points: 1.234 }, 'the credits are not a whole number: --round cuts fractions off'],
    [{ points: '1234.000' }, [[id, 1234]]],
    [
      { points: '1,234' },
      'the credits can be 1234 or 1, as in 1,234: use --decimal "." for 1234, or --decimal "," with --round for 1',
    ],
    [{ points: '1000000001' }, 'more than 1,000,000,000 credits'],
    [{ user: '', points: 1 }, 'there is no Discord id'],
    [{ user: 'abc', points: 1 }, 'this is not a Discord id'],
    [{ user: ` '${id}`, points: 1 }, [[id, 1]]],
    [{ votes: 2 }, 'there is no time of the votes: use --votes-at'],
    [
      { votes: 2, time: '2026-01-01' },
      [
        [id, 0, Date.UTC(2026, 0, 1)],
        [id, 0, Date.UTC(2026, 0, 1)],
      ],
    ],
    [{ votes: 10_001, time: '2026-01-01' }, 'more than 10,000 votes'],
    [{ votes: 1, time: '12/31/2025' }, 'this is not a time: use ISO 8601, or Unix seconds or milliseconds'],
  ])('of balances: %j', (fields, expected) => {
    expect(read(fields)).toEqual(expected);
  });

  it.each([
    ['1.234', ',', [[id, 1234]]],
    ['1.234.567,00', ',', [[id, 1_234_567]]],
    ['12,00', ',', [[id, 12]]],
    ['12.5', ',', 'the credits are not a number'],
    ['1,234', '.', [[id, 1234]]],
  ] as const)('of %s credits, with %s before a fraction', (points, decimal, expected) => {
    expect(read({ points }, { decimal })).toEqual(expected);
  });

  it.each([
    ['2026-01-02T03:04:05Z', Date.UTC(2026, 0, 2, 3, 4, 5)],
    ['2026-01-02T03:04:05.678+02:00', Date.UTC(2026, 0, 2, 1, 4, 5, 678)],
    ['1767323045', 1_767_323_045_000],
    [1_767_323_045_678, 1_767_323_045_678],
    ['2014-01-01', 'the time is before Discord existed'],
    ['2026-01-06', 'the time is in the future'],
    ['', 'there is no time'],
  ])('of votes at %j', (time, expected) => {
    const read_ = read({ time }, { rowsAre: 'votes' });
    expect(read_).toEqual(typeof expected === 'number' ? [[id, 0, expected]] : expected);
  });

  it('has a listing only if it has votes', () => {
    const { columns } = rules;
    const listed = { listing: null, columns: { ...columns, listing: 'site' } };
    expect(read({ points: 5, site: 'elsewhere' }, listed)).toEqual([[id, 5]]);
    expect(read({ points: 5, votes: 1, site: 'elsewhere', time: 1_767_323_045 }, listed)).toBe(
      'there is no such listing',
    );
    expect(read({ votes: 1, time: 1_767_323_045 }, listed)).toBe('there is no listing: use --listing');
    expect(read({ time: 1_767_323_045 }, { ...listed, rowsAre: 'votes' })).toBe('there is no listing: use --listing');
  });

  it('has the id in a key, of which other ones and other servers are left out', () => {
    const keyed = { readKey: createKeyReader('points_{guild}_{user}'), guildId: '613425648685547000' };
    expect(read({ user: `points_613425648685547000_${id}`, points: 5 }, keyed)).toEqual([[id, 5]]);
    expect(read({ user: `points_613425648685547001_${id}`, points: 5 }, keyed)).toBe('other servers');
    expect(read({ user: `xp_613425648685547000_${id}`, points: 5 }, keyed)).toBe('other keys');
    expect(read({ user: `points_613425648685547000_${id}_x`, points: 5 }, keyed)).toBe('other keys');
    expect(() => createKeyReader('points')).toThrow('needs {user} once');
  });

  it('may round fractions down', () => {
    expect(read({ points: '1.9' }, { round: true })).toEqual([[id, 1]]);
  });
});

describe('columns', () => {
  it.each([
    [{ user_id: id, Points: '5' }, '', { user: 'user_id', credits: 'Points' }],
    [{ id, name: 'x', votes: 3, lastVoted: '2026-01-01' }, '', { user: 'id', votes: 'votes', time: 'lastVoted' }],
    [{ _id: 'abcdef', discord: id, balance: 5 }, '', { user: 'discord', credits: 'balance' }],
    [{ id, value: { points: 5, bank: 3 } }, '', { user: 'id', credits: 'value.points' }],
    [{ id, value: '{"coins":5}' }, '', { user: 'id', credits: 'value.coins' }],
    [{ id, a: 1, b: 2 }, 'credits=b', { user: 'id', credits: 'b' }],
  ])('are recognised in %j', (row, mapping, expected) => {
    expect(findColumns([row], parseMapping(mapping), false)).toEqual(expected);
  });

  it('of the history of top.gg are the Discord ID and the time, and not the ID of the site', () => {
    const times = { created_at: '2026-01-04T00:47:14.2510149+00:00', expires_at: '2026-01-04T12:47:14.2510149+00:00' };
    const row = { user_id: '140862798832861184', platform_id: id, weight: 1, ...times };
    const columns = findColumns([row], {}, false);
    expect(columns).toEqual({ user: 'platform_id', time: 'created_at' });
    const at = Date.UTC(2026, 0, 4, 0, 47, 14, 251);
    expect(interpretRow(row, { ...rules, columns, rowsAre: 'votes' })).toEqual({
      type: 'items',
      items: [{ userId: id, key: `vote server ${at}`, credits: 0, vote: { listing: 'server', at, isTotal: false } }],
    });
  });

  it('that are missing are reported with what the file has, or how keys are read', () => {
    expect(() => findColumns([{ name: 'x', points: 1 }], {}, false)).toThrow('The file has: name, points.');
    expect(() => findColumns([{ id, points: 1 }], parseMapping('credits=point'), false)).toThrow(
      'Did you mean points?',
    );
    expect(() => parseMapping('credit=point')).toThrow('Did you mean credits?');
    expect(() => findColumns([{ id: `points_${id}`, value: 1 }], {}, false)).toThrow("--key 'points_{user}'");
  });
});

it('a dry run finds what earlier rows of the files would have stored', () => {
  const complete = createRehearsal({ listings: serverAndBot() });
  const outcome = (userId: string, credits: number, at?: number) => {
    const vote = at === undefined ? null : { listing: 'server', at, isTotal: false };
    const key = at === undefined ? 'balance' : `vote server ${at}`;
    return complete({ userId, key, credits, vote }, { outcome: 'credited' }).outcome;
  };
  expect([outcome('1', 5), outcome('1', 5), outcome('1', 6), outcome('2', 5)]).toEqual([
    ...['credited', 'imported', 'different', 'credited'],
  ]);
  const hour = 3_600_000;
  const times = [now, now + 11 * hour, now + 12 * hour, now - 13 * hour, now - 2 * hour, now];
  expect(times.map((at) => outcome('1', 0, at))).toEqual([
    ...['credited', 'within_cooldown', 'credited', 'credited', 'within_cooldown', 'imported'],
  ]);
  for (let index = 0; index < 20_000; index += 1) expect(outcome(`member ${index}`, index)).toBe('credited');
  expect(outcome('member 19999', 0)).toBe('different');
});

async function rowsOf(name: string, content: string | Buffer, options: Partial<FileOptions> = {}) {
  const file = join(tempDir(), name);
  writeFileSync(file, content);
  const all = [];
  for await (const { rows } of readRows(file, { format: null, path: [], ...options })) all.push(...rows);
  return all;
}

describe('a CSV file', () => {
  const text = `user,points,note\r\n${id},5,"a ""b"", c"\n\n"1","two\nlines",x\r\n2,,`;
  const rows = [
    { line: 1, fields: ['user', 'points', 'note'] },
    { line: 2, fields: [id, '5', 'a "b", c'] },
    { line: 4, fields: ['1', 'two\nlines', 'x'] },
    { line: 6, fields: ['2', '', ''] },
  ];

  it('is read the same wherever its parts begin', async () => {
    for (let size = 1; size <= text.length; size += 1) {
      const parser = createCsvParser(',');
      const read = [];
      for (let start = 0; start < text.length; start += size)
        read.push(...(await parser.push(text.slice(start, start + size))));
      expect([...read, ...(await parser.end())]).toEqual(rows);
    }
  });

  it('may have other delimiters, a byte-order mark, UTF-16, or no header', async () => {
    const expected = [{ row: 2, fields: { user: id, points: '5' } }];
    expect(await rowsOf('a.csv', `\uFEFFuser;points\n${id};5\n`)).toEqual(expected);
    expect(await rowsOf('a.tsv', `user\tpoints\n${id}\t5`)).toEqual(expected);
    expect(await rowsOf('a.txt', Buffer.from(`\uFEFFuser,points\n${id},5\n`, 'utf16le'))).toEqual(expected);
    expect(await rowsOf('a.csv', `${id},5\n`)).toEqual([{ row: 1, fields: { 1: id, 2: '5' } }]);
  });

  it('without a closing quote is reported with its line', async () => {
    await expect(rowsOf('a.csv', 'user,points\n1,"2\n')).rejects.toThrow('The row on line 2 does not end.');
    const long = `user,points\n\n1,"${'2\n'.repeat(600_000)}`;
    await expect(rowsOf('a.csv', long)).rejects.toThrow('The row on line 3 is too long.');
  });

  it('may have quotes within a field, and white space after a closing one', async () => {
    const expected = [{ row: 2, fields: { user: id, note: 'a "b" c' } }];
    expect(await rowsOf('a.csv', `user,note\n"${id}" ,a "b" c\n`)).toEqual(expected);
  });
});

describe('a JSON file', () => {
  const text = `{ "version": 1, "data": {"users" :
[ {"a":"]}\\"{","b":[1,[2]]},
 5 , "x,y" ,null], "more": [1] }}`;

  it('has its rows at a path', async () => {
    expect(await rowsOf('a.json', text, { path: ['data', 'users'] })).toEqual([
      { row: 1, fields: { a: ']}"{', b: [1, [2]] } },
      { row: 2, fields: { value: 5 } },
      { row: 3, fields: { value: 'x,y' } },
      { row: 4, fields: { value: null } },
    ]);
  });

  it('keeps all digits of ids, whether texts, numbers or names', async () => {
    const expected = [{ row: 1, fields: { id, points: 5 } }];
    expect(await rowsOf('a.json', `[{"id":${id},"points":5}]`)).toEqual(expected);
    expect(await rowsOf('a.json', `{"${id}":{"points":5},"2":7}`)).toEqual([
      { row: 1, fields: { key: '2', value: 7 } },
      { row: 2, fields: { key: id, points: 5 } },
    ]);
    expect(await rowsOf('a.json', `[["${id}", 5]]`)).toEqual([{ row: 1, fields: { 1: id, 2: 5 } }]);
  });

  it('with one value per line is recognised', async () => {
    const text = `{"id":"${id}","points":5}\n\n{"id":"2","points":6}\n`;
    for (const name of ['a.ndjson', 'a.json']) {
      expect((await rowsOf(name, text)).map(({ row, fields }) => [row, fields['points']])).toEqual([
        [1, 5],
        [3, 6],
      ]);
    }
  });

  it('that is incomplete, or has nothing at the path, is reported', async () => {
    await expect(rowsOf('a.json', '[{"id":1},')).rejects.toThrow('The file is not JSON at line 1, column 11.');
    await expect(rowsOf('a.json', '[{"id":1},{"id":x}]')).rejects.toThrow('The file is not JSON at line 1, column 17.');
    await expect(rowsOf('a.json', '{"users":[1]}', { path: ['members'] })).rejects.toThrow('does not lead to');
  });
});

function examplesIn(ids: readonly string[]): readonly string[] {
  const digits = createLostDigits();
  for (const id of ids) digits.add(id);
  return digits.examples();
}

/** An id of a time since Discord began. @param counter of its last 22 bits */
function idAt(days: number, counter: number): string {
  return String((BigInt(Math.floor(days * 86_400_000)) << 22n) + BigInt(Math.floor(counter)));
}

const random = createPrng(7);
const genuine = (count: number) => Array.from({ length: count }, () => idAt(30 + random() * 4_300, random() * 2 ** 22));
/** As in the first years: the counter begins at 0 again and again. */
const old = (count: number) => Array.from({ length: count }, () => idAt(30 + random() * 700, 0));

const bySpreadsheet = (id: string) => `${id.slice(0, 15)}${'0'.repeat(id.length - 15)}`;
const byJavaScript = (id: string) => String(Number(id));
const byPython = (id: string) => BigInt(Number(id)).toString();

describe('ids that have lost their last digits', () => {
  it.each([
    ['a spreadsheet', bySpreadsheet],
    ['a program that prints doubles', byJavaScript],
    ['a program that converts doubles to whole numbers', byPython],
  ])('are found if all have passed through %s', (_name, lose) => {
    for (let round = 0; round < 100; round += 1) expect(examplesIn(genuine(8).map(lose))).not.toEqual([]);
  });

  it('are found from three members on after a spreadsheet, however often each of them occurs', () => {
    const ids = ['613425648685547000', '204255221017215000', '80351110224679000'];
    expect(examplesIn(ids)).toEqual(ids);
    expect(examplesIn(ids.slice(1))).toEqual([]);
    expect(examplesIn(['613425648685547000', '613425648685547000', '613425648685547000'])).toEqual([]);
  });

  it('are found beside as many good ones', () => {
    expect(examplesIn([...genuine(40), ...genuine(10).map(bySpreadsheet)])).not.toEqual([]);
    expect(examplesIn([...genuine(5_000), ...genuine(100).map(bySpreadsheet)])).not.toEqual([]);
  });

  it.each(['6.13E+17', '6,13425E+17', '6.13425648685547e17', '613425648685547520.0', '6.13 E+17'])(
    'are found in a single row that is written as a number: %s',
    (id) => expect(examplesIn([...genuine(1_000), id])).toEqual([id]),
  );

  it('are not seen in genuine files, of any size and age', () => {
    // 5,000 files, of which less than one of 30,000 is refused.
    const refused = [3, 4, 5, 10, 100].flatMap((size) =>
      Array.from({ length: 1_000 }, () => genuine(size)).filter((ids) => examplesIn(ids).length > 0),
    );
    expect(refused).toEqual([]);
    for (const size of [3, 10, 1_000]) expect(examplesIn(old(size))).toEqual([]);
    expect(examplesIn(genuine(20_000))).toEqual([]);
    expect(examplesIn(['abc', '', '1e3', '12.0', '1234'])).toEqual([]);
  });
});
