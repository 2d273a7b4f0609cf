import fc from 'fast-check';
import { expect, it } from 'vitest';
import { wrapText } from '../../src/terminal/wrap-lines.ts';

const texts = fc.array(fc.constantFrom('a', 'word', 'https://example.com/a/long/address', '·'), { minLength: 1 });

it('wraps between words, and keeps all of them in their order', () => {
  fc.assert(
    fc.property(
      texts,
      fc.constantFrom('', '   ', '- ', '✓ ', '  2. '),
      fc.integer({ min: 12, max: 60 }),
      (words, start, columns) => {
        const lines = wrapText(start + words.join(' '), columns).split('\n');
        const indent = ' '.repeat(start.length);
        expect(lines.every((line, index) => line.startsWith(index === 0 ? start : indent))).toBe(true);
        const shown = lines.map((line) => line.slice(start.length));
        expect(shown.join(' ')).toBe(words.join(' '));
        for (const [index, line] of shown.entries()) {
          expect(line.length <= columns - start.length || !line.includes(' ')).toBe(true);
          const [next] = shown[index + 1]?.split(' ') ?? [];
          // A line ends only where the next word has no room.
          if (next !== undefined) expect(start.length + line.length + 1 + next.length).toBeGreaterThan(columns);
        }
      },
    ),
  );
});

it('keeps the spaces between columns, and lines that fit', () => {
  expect(wrapText('one    two\n\n  three', 12)).toBe('one    two\n\n  three');
  expect(wrapText('one    two three', 12)).toBe('one    two\nthree');
});
