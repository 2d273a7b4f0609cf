import { describe, expect, it } from 'vitest';
import { InvalidJsonError, parseJsonText } from '../src/parse-json-text.ts';

function errorOf(text: string): InvalidJsonError {
  try {
    parseJsonText(text);
  } catch (error) {
    if (error instanceof InvalidJsonError) return error;
    throw error;
  }
  throw new Error('It is JSON.');
}

describe('a text that is not JSON', () => {
  it.each([
    ['{\n  "a": [1, 2,],\n}', 2, 14, 'Remove the comma before this bracket.'],
    ['{\n  "a": 1, // why\n}', 2, 11, 'JSON has no comments'],
    ["{\n  'a': 1\n}", 2, 3, 'straight double quotes'],
    ['{“a”: 1}', 1, 2, 'straight double quotes'],
    ['{ a: 1 }', 1, 3, 'A name in double quotes is expected here.'],
    ['{\n"a": 1\n"b": 2}', 3, 1, 'A comma is missing before this.'],
    ['{"a" 1}', 1, 6, 'A colon is missing before this.'],
    ['{"a": hush}', 1, 7, 'Texts need double quotes'],
    ['{"a": "C:\\data"}', 1, 7, 'a backslash that must be written twice'],
    ['{"a": "two\nlines"}', 1, 7, 'does not end on its line'],
    ['{"a": [1, 2}', 1, 12, 'another one is missing before it'],
    ['{"a": [1', 1, 9, 'The file ends too early'],
    ['{} {}', 1, 4, 'Something follows the end'],
    ['{"a": 01}', 1, 7, 'numbers have none'],
    [' \n ', 2, 2, 'The file is empty.'],
    ['', 1, 1, 'The file is empty.'],
  ])('is reported with its place, a hint, and nothing of it: %j', (text, line, column, hint) => {
    const error = errorOf(text);
    expect([error.line, error.column]).toEqual([line, column]);
    expect(error.hint).toContain(hint);
    expect(error.message).toBe(`not JSON at line ${line}, column ${column}`);
    expect(error.message + error.hint).not.toContain('hush');
  });

  it('is found wherever one character is lost or added, as JSON.parse does', () => {
    const text = JSON.stringify({ a: [1, -2.5e3, true, null, 'x\n"é'], b: { c: {} }, d: [] }, null, 1);
    for (let at = 0; at < text.length; at += 1) {
      for (const changed of [text.slice(0, at) + text.slice(at + 1), `${text.slice(0, at)},${text.slice(at)}`]) {
        const isJson = () => {
          try {
            JSON.parse(changed);
            return true;
          } catch {
            return false;
          }
        };
        if (isJson()) expect(parseJsonText(changed)).toEqual(JSON.parse(changed));
        else expect(errorOf(changed).line, changed).toBeGreaterThan(0);
      }
    }
  });
});
