import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { withResult } from '../../bench/readme.ts';
import { atLeast, within } from '../../bench/report.ts';

const empty = `Before.

<!-- measured: begin -->

| benchmark | what it measures | measured |
|---|---|---|
| start | the start | – |
| receive | a vote | today |

<!-- measured: end -->

<!-- results: begin -->

| benchmark | what | goal | measured | met |
|---|---|---:|---:|---:|
| receive | rate | ≥ 1× | 2.00× | yes |

<!-- results: end -->

After.`;

it('a result replaces the previous one of its benchmark alone', () => {
  const once = withResult(empty, 'start', { provenance: 'Yesterday.', goals: [atLeast('speed', 2, 1)] });
  expect(once).toContain('| start | speed | ≥ 2× | 1.00× | **no** |');
  const goals = [within('wait', 5, 3, 'ms', 'cold'), within('wait', 5, 6, 'ms', 'warm'), atLeast('speed', 2, 3)];
  expect(withResult(once, 'start', { provenance: 'Now.', goals })).toBe(
    empty
      .replace('| start | the start | – |', '| start | the start | Now. |')
      .replace(
        '| yes |',
        '| yes |\n| start | wait | ≤ 5 ms | 3.00 ms, 6.00 ms | **1 of 2** |\n| start | speed | ≥ 2× | 3.00× | yes |',
      ),
  );
});

it('the README has a place for each benchmark only', () => {
  const readme = readFileSync(new URL('../../bench/README.md', import.meta.url), 'utf8');
  const result = { provenance: 'Now.', goals: [atLeast('the result', 1, 2)] };
  for (const name of ['receive', 'scale', 'communities', 'commands', 'interactions', 'pictures', 'ledger', 'service']) {
    expect(withResult(readme, name, result)).toContain(`| ${name} | the result | ≥ 1× | 2.00× | yes |`);
  }
  expect(withResult(readme, 'start', result)).toContain('the result');
  expect(() => withResult(readme, 'nothing', result)).toThrow('no place for the results of nothing');
});
