import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { expect, it } from 'vitest';
import { figuresOf } from '../scripts/flow-files/figures.ts';
import { measureFlows } from '../scripts/flow-files/measure.ts';

// `node scripts/flow-files.ts` lists the files.
it('a vote and a command run through few files', async () => {
  const figures = figuresOf(await measureFlows(tempDir()));
  for (const { files } of figures) expect(files).toBeGreaterThan(10);
  expect(figures.filter(({ files, limit }) => files > limit)).toEqual([]);
});
