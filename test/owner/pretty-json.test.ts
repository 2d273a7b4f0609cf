import { expect, it } from 'vitest';
import { prettyJson, visible } from '../../src/owner/console/cells.ts';

it('writes one line per member, and preserves what a parser would lose', () => {
  expect(prettyJson('{"userId":123456789012345678901, "a":1.50,"a":[ ],"b":[1,{"c":"x: {, \\" y"}]}')).toBe(
    `{
  "userId": 123456789012345678901,
  "a": 1.50,
  "a": [],
  "b": [
    1,
    {
      "c": "x: {, \\" y"
    }
  ]
}`,
  );
});

it('limits the indentation of deeply nested JSON', () => {
  const deep = '['.repeat(30_000);
  expect(prettyJson(deep).length).toBeLessThan(2_000_000);
  expect(prettyJson('"unfinished')).toBe('"unfinished');
});

it('escapes invisible and direction-changing characters', () => {
  expect(visible('a\u202Eb\u200Bc\u0000\n')).toBe('a\\u202eb\\u200bc\\u0000\n');
  expect(visible('Zoë 🎉 שלום')).toBe('Zoë 🎉 שלום');
});
