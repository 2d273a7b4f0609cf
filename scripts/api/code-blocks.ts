import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A program in a document, as its reader would copy it. */
export interface CodeBlock {
  /** The path of the document, from the root of the project. */
  readonly path: string;
  /** The line of its first line of code, from 1. */
  readonly line: number;
  readonly code: string;
  /** Marked as `ts part`: it continues the nearest whole program above it on the page, which is empty if there is none. */
  readonly continues: string | null;
}

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Documents with TypeScript. The blocks of docs/extending.md are files of the project itself; a test of its own builds them. */
const documents = ['README.md', 'docs/*.md', 'docs/{guides,hosting}/*.md', 'examples/**/README.md'];
const ownTest = 'docs/extending.md';

/** All blocks of TypeScript in the documents of the package's users. */
export function readCodeBlocks(): readonly CodeBlock[] {
  return globSync(documents, { cwd: root, exclude: ['**/node_modules/**', ownTest] })
    .toSorted()
    .flatMap((path) => blocksIn(path, readFileSync(join(root, path), 'utf8')));
}

/** The blocks of TypeScript in one document. */
export function blocksIn(path: string, text: string): readonly CodeBlock[] {
  const blocks: CodeBlock[] = [];
  let whole = '';
  for (const { index, 1: info = '', 2: code = '' } of text.matchAll(/^```ts(.*)\n([\s\S]*?)^```$/gm)) {
    const isPart = info.trim() === 'part';
    blocks.push({ path, line: text.slice(0, index).split('\n').length + 1, code, continues: isPart ? whole : null });
    if (!isPart) whole = code;
  }
  return blocks;
}
