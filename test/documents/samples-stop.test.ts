import { it } from 'vitest';
import { blockOf, expectToStop } from './sample.ts';

it(
  'the sample for a bot in Express, run as written, acknowledges a vote and ends after SIGTERM',
  { timeout: 300_000 },
  () => expectToStop(blockOf('docs/library.md', 'In your own Express app')),
);
