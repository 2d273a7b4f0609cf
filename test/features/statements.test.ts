import { expect, it } from 'vitest';
import type { SqlModule } from '../../src/core/store/sql-module.ts';
import { storedFeatures } from '../../src/features/index.ts';

const modules = Object.entries<SqlModule>(storedFeatures.modules);

it.each(modules)('the reads and writes of %s have different names, because its client has both', (_, module) => {
  const { reads, writes } = module;
  expect(Object.keys(reads).filter((name) => Object.hasOwn(writes, name))).toEqual([]);
});

it('there are statements of the core and of features', () => {
  expect(modules.map(([name]) => name)).toEqual(expect.arrayContaining(['outbox', 'reminders']));
});
