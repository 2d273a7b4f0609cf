import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { wholeSandbox } from '../support/whole-sandbox.ts';

/** Of a program with all roles and features. */
async function scrape(): Promise<string> {
  const { urls } = await wholeSandbox();
  const response = await fetch(`${urls.bot}/metrics`);
  return response.text();
}

describe('a scrape of the program', { timeout: 20_000 }, () => {
  it('has exactly the metrics that docs/operations.md describes', async () => {
    const page = readFileSync('docs/operations.md', 'utf8');
    const named = new Set([...page.matchAll(/tallyhook_[a-z_]+[a-z]/g)].map(([name]) => name));
    const text = await scrape();
    const own = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name);
    const offered = own.filter((name) => !/^tallyhook_(process|nodejs)_/.test(name));
    expect([...named].filter((name) => !/^tallyhook_(process|nodejs)$/.test(name)).sort()).toEqual(offered.sort());
  });

  it("follows Prometheus' naming conventions", async () => {
    const text = await scrape();
    const kinds = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', kind = '']) => ({ name, kind }));
    const own = kinds.filter(({ name }) => !/_(process|nodejs)_/.test(name));
    expect(own.length).toBeGreaterThan(12);
    for (const { name, kind } of own) {
      expect(name).toMatch(/^tallyhook_[a-z_]+$/);
      expect(name.endsWith('_total'), name).toBe(kind === 'counter');
      if (kind === 'histogram') expect(name).toMatch(/_seconds$/);
    }
  });
});
