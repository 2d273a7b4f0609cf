import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { expect, it } from 'vitest';
import { figuresOf, measureFlows } from '../scripts/flow-files/measure.ts';

// `node scripts/flow-files.ts` lists the files.
it('a vote, a purchase and others run through few files', { timeout: 600_000 }, async () => {
  const figures = figuresOf(await measureFlows(tempDir()));
  for (const { files } of figures) expect(files).toBeGreaterThan(10);
  const above = figures.filter(({ files, limit }) => files > limit);
  // Not an error yet: the flows are still to become shorter.
  if (above.length > 0) console.warn('Flows that run through more files than they should:', above);
});
