import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { describe, expect, it } from 'vitest';
import { createCsvParser, createJsonDivider, type FileOptions, readRows } from '../../../src/cli/import/read-rows.ts';

const id = '613425648685547541';

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
    const expected = [{ line: 2, fields: { user: id, points: '5' } }];
    expect(await rowsOf('a.csv', `\uFEFFuser;points\n${id};5\n`)).toEqual(expected);
    expect(await rowsOf('a.tsv', `user\tpoints\n${id}\t5`)).toEqual(expected);
    expect(await rowsOf('a.txt', Buffer.from(`\uFEFFuser,points\n${id},5\n`, 'utf16le'))).toEqual(expected);
    expect(await rowsOf('a.csv', `${id},5\n`)).toEqual([{ line: 1, fields: { 1: id, 2: '5' } }]);
  });

  it('without a closing quote is reported with its line', async () => {
    await expect(rowsOf('a.csv', 'user,points\n1,"2\n')).rejects.toThrow('The row on line 2 does not end.');
    const long = `user,points\n\n1,"${'2\n'.repeat(600_000)}`;
    await expect(rowsOf('a.csv', long)).rejects.toThrow('The row on line 3 is too long.');
  });

  it('may have quotes within a field, and white space after a closing one', async () => {
    const expected = [{ line: 2, fields: { user: id, note: 'a "b" c' } }];
    expect(await rowsOf('a.csv', `user,note\n"${id}" ,a "b" c\n`)).toEqual(expected);
  });
});

describe('a JSON file', () => {
  const text = `{ "version": 1, "data": {"users" :
[ {"a":"]}\\"{","b":[1,[2]]},
 5 , "x,y" ,null], "more": [1] }}`;

  it('is divided the same wherever its parts begin', () => {
    for (let size = 1; size <= text.length; size += 1) {
      const divider = createJsonDivider(['data', 'users']);
      const read = [];
      for (let start = 0; start < text.length; start += size)
        read.push(...divider.push(text.slice(start, start + size)));
      divider.end();
      expect(read).toEqual([
        { line: 2, key: null, text: '{"a":"]}\\"{","b":[1,[2]]}' },
        { line: 3, key: null, text: '5' },
        { line: 3, key: null, text: '"x,y"' },
        { line: 3, key: null, text: 'null' },
      ]);
    }
  });

  it('keeps all digits of ids, whether texts, numbers or names', async () => {
    const expected = [{ line: 1, fields: { id, points: 5 } }];
    expect(await rowsOf('a.json', `[{"id":${id},"points":5}]`)).toEqual(expected);
    expect(await rowsOf('a.json', `{"${id}":{"points":5},"2":7}`)).toEqual([
      { line: 1, fields: { key: id, points: 5 } },
      { line: 1, fields: { key: '2', value: 7 } },
    ]);
    expect(await rowsOf('a.json', `[["${id}", 5]]`)).toEqual([{ line: 1, fields: { 1: id, 2: 5 } }]);
  });

  it('with one value per line is recognised', async () => {
    const text = `{"id":"${id}","points":5}\n\n{"id":"2","points":6}\n`;
    for (const name of ['a.ndjson', 'a.json']) {
      expect((await rowsOf(name, text)).map(({ line, fields }) => [line, fields['points']])).toEqual([
        [1, 5],
        [3, 6],
      ]);
    }
  });

  it('that is incomplete, or has nothing at the path, is reported', async () => {
    await expect(rowsOf('a.json', '[{"id":1},')).rejects.toThrow('does not end');
    await expect(rowsOf('a.json', '[{"id":1},{"id":x}]')).rejects.toThrow(
      'The row on line 1 is not JSON at line 1, column 7.',
    );
    await expect(rowsOf('a.json', '{"users":[1]}', { path: ['members'] })).rejects.toThrow('does not lead to');
  });

  it('may be larger than what is in memory', async () => {
    const user = JSON.stringify({ id, points: 1, text: 'x'.repeat(500) });
    const rows = await rowsOf('a.json', `{"users":[${Array.from({ length: 5_000 }, () => user).join(',\n')}]}`, {
      path: ['users'],
    });
    expect(rows).toHaveLength(5_000);
    expect(rows.at(-1)?.line).toBe(5_000);
  });
});
