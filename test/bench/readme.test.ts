import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { withResult } from '../../bench/readme.ts';
import { atLeast, within } from '../../bench/report.ts';

const section = (...lines: string[]) =>
  ['Before.', '<!-- start: begin -->', ...lines, '<!-- start: end -->', 'After.'].join('\n\n');
const table = (...rows: string[]) => rows.join('\n');

it('a result has a column for its machine, beside that of another one', () => {
  const goals = [within('wait', 5, 3, 'ms', 'cold'), within('wait', 5, 6, 'ms', 'warm'), atLeast('speed', 2, 3)];
  const one = withResult(section('Nothing yet.'), 'start', { machine: '2 × A', provenance: 'Monday.', goals });
  expect(one).toBe(
    section(
      table(
        '| what | goal | 2 × A |',
        '| --- | ---: | ---: |',
        '| wait | ≤ 5 ms | 3.00 ms, **6.00 ms** |',
        '| speed | ≥ 2× | 3.00× |',
      ),
      '- 2 × A: Monday.',
    ),
  );
  const two = withResult(one, 'start', { machine: '4 × B', provenance: 'Tuesday.', goals: [atLeast('speed', 2, 1)] });
  expect(two).toBe(
    section(
      table('| what | goal | 2 × A | 4 × B |', '| --- | ---: | ---: | ---: |', '| speed | ≥ 2× | 3.00× | **1.00×** |'),
      table('- 2 × A: Monday.', '- 4 × B: Tuesday.'),
    ),
  );
  const again = withResult(two, 'start', { machine: '2 × A', provenance: 'Friday.', goals: [atLeast('speed', 2, 4)] });
  expect(again).toContain('| speed | ≥ 2× | **1.00×** | 4.00× |');
  const third = withResult(again, 'start', {
    machine: '8 × C',
    provenance: 'Sunday.',
    goals: [atLeast('speed', 2, 5)],
  });
  expect(third).toContain('| what | goal | 2 × A | 8 × C |');
  expect(third).toContain(table('- 2 × A: Friday.', '- 8 × C: Sunday.'));
});

it('the README has a place for each benchmark only', () => {
  const readme = readFileSync(new URL('../../bench/README.md', import.meta.url), 'utf8');
  const result = { machine: '2 × A', provenance: 'Now.', goals: [atLeast('the result', 1, 2)] };
  const names = [
    'receive',
    'scale',
    'communities',
    'commands',
    'interactions',
    'pictures',
    'ledger',
    'service',
    'start',
  ];
  for (const name of names) {
    expect(withResult(readme, name, result)).toContain('| the result | ≥ 1× |');
    expect(readme).toContain(`npm run bench -- ${name}`);
  }
  expect(() => withResult(readme, 'nothing', result)).toThrow('no place for the results of nothing');
});
