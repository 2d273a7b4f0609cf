import fc from 'fast-check';
import { expect, test } from 'vitest';
import { normalizeLine, normalizeText } from '../src/truncate.ts';
import { hostileText } from '../testing/hostile-text.ts';

const forbidden = /(?![\n\t])\p{Cc}|[\u061C\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\u2800\u3164\uFEFF]|\p{M}{5}/u;

test('no text keeps an invisible character, a direction mark or a pile of marks, and normalizing it again changes nothing', () => {
  fc.assert(
    fc.property(hostileText, (text) => {
      for (const normalize of [normalizeText, normalizeLine]) {
        const safe = normalize(text);
        expect(safe.isWellFormed()).toBe(true);
        expect(safe).not.toMatch(forbidden);
        expect(safe).toBe(safe.trim());
        expect(normalize(safe)).toBe(safe);
      }
      expect(normalizeLine(text)).not.toMatch(/[\n\t]| {2}/);
      expect(normalizeText(text)).not.toMatch(/\n{3}|\t/);
    }),
    { numRuns: 500 },
  );
});

test.each([
  'Grüße an die Ñandú',
  'می‌خواهم',
  'क्‍ष',
  '👨‍👩‍👧‍👦 ❤️‍🔥 👍🏽 1️⃣ 🇵🇱',
  'עברית العربية',
  '日本語のサーバー',
  'Tiếng Việt',
])('%s stays as it is', (text) => {
  expect(normalizeLine(text)).toBe(text);
});

test.each(['\u200B', '\u3164\u2800', '\uFE0F\uFE0F', 'ㅤ\u00AD\u{E0041}', '\0', '\u202E'])(
  'a text of invisible characters is empty: %j',
  (text) => {
    expect(normalizeLine(text)).toBe('');
  },
);

test('paragraphs are kept, with one empty line between them', () => {
  expect(normalizeText(' One\t two \r\n\r\n \u2028\r\nthree\r\n')).toBe('One two\n\nthree');
});
