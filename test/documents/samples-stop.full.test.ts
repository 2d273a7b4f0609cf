import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { blockOf, expectToStop, root } from './sample.ts';

/** The example in the docstring of a function. */
function exampleOf(path: string, name: string): string {
  const [before = ''] = readFileSync(join(root, path), 'utf8').split(`function ${name}(`);
  const [, block = ''] = /```ts\n(.*)```/s.exec(before.slice(before.lastIndexOf('/**'))) ?? [];
  return block.replace(/^ \* ?/gm, '');
}

const mainOf = (name: string) => readFileSync(join(root, 'examples', name, 'main.ts'), 'utf8');

/** The samples that stop on SIGTERM, by where they are. */
const samples: readonly (readonly [string, string])[] = [
  ['docs/library.md', blockOf('docs/library.md', 'In your own Express app')],
  ['docs/receiver.md', blockOf('docs/receiver.md', 'The receiver')],
  ['the docstring of createApp', exampleOf('src/app/app.ts', 'createApp')],
  ...['own-bot', 'custom-command', 'custom-reward', 'receiver-only', 'several-communities'].map(
    (name) => [`examples/${name}`, mainOf(name)] as const,
  ),
];

describe('a sample, run as written,', { timeout: 300_000 }, () => {
  it.each(samples)('acknowledges a vote and ends after SIGTERM: %s', (_name, code) => expectToStop(code));
});
