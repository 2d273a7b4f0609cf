import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { wholeSandbox } from '../support/whole-sandbox.ts';

it('a scrape of a whole program has exactly the metrics of docs/operations.md, named as Prometheus asks', {
  timeout: 20_000,
}, async () => {
  const { urls } = await wholeSandbox();
  const text = await (await fetch(`${urls.bot}/metrics`)).text();
  const page = readFileSync('docs/operations.md', 'utf8');
  const named = new Set([...page.matchAll(/tallyhook_[a-z_]+[a-z]/g)].map(([name]) => name));
  const offered = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)]
    .map(([, name = '', kind = '']) => ({ name, kind }))
    .filter(({ name }) => !/^tallyhook_(process|nodejs)_/.test(name));
  expect([...named].filter((name) => !/^tallyhook_(process|nodejs)$/.test(name)).sort()).toEqual(
    offered.map(({ name }) => name).sort(),
  );
  for (const { name, kind } of offered) {
    expect(name).toMatch(/^tallyhook_[a-z_]+$/);
    expect(name.endsWith('_total'), name).toBe(kind === 'counter');
    if (kind === 'histogram') expect(name).toMatch(/_seconds$/);
  }
});
