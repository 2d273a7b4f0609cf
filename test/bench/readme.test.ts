import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { withResult } from '../../bench/readme.ts';

it('a result replaces the previous one between its markers', () => {
  const empty = 'Before.\n<!-- start: begin -->\n<!-- start: end -->\nAfter.';
  const once = withResult(empty, 'start', 'slow');
  expect(withResult(once, 'start', 'fast')).toBe(
    'Before.\n<!-- start: begin -->\n\nfast\n\n<!-- start: end -->\nAfter.',
  );
});

it('the README has markers for each benchmark only', () => {
  const readme = readFileSync(new URL('../../bench/README.md', import.meta.url), 'utf8');
  for (const name of ['receive', 'scale', 'commands', 'pictures', 'ledger', 'start']) {
    expect(withResult(readme, name, 'the result')).toContain('the result');
  }
  expect(() => withResult(readme, 'nothing', 'x')).toThrow('no place for the results of nothing');
});
