import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript-5.9';
import type { CodeBlock } from './code-blocks.ts';
import { createProgram, examplesOf, type PublicApi } from './public-api.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** A module of a user, with where it is written. */
interface Sample {
  readonly origin: string;
  readonly code: string;
  /** Where the line of the module is in its origin, from 1. */
  readonly lineOf: (line: number) => number;
}

/** The `@example`s of exports. */
export function docstringSamples(apis: readonly PublicApi[]): readonly Sample[] {
  return apis.flatMap(({ exports }) =>
    [...exports].flatMap(([name, symbol]) =>
      examplesOf(symbol).map((code) => ({ origin: `@example of ${name}`, code, lineOf: (line: number) => line })),
    ),
  );
}

/** The programs in documents; a part is compiled below the program that it continues. */
export function documentSamples(blocks: readonly CodeBlock[]): readonly Sample[] {
  return blocks.map(({ path, line, code, continues }) => {
    const before = continues ?? '';
    const linesBefore = before.split('\n').length - 1;
    return { origin: path, code: before + code, lineOf: (at: number) => line + at - 1 - linesBefore };
  });
}

/** Compiles each sample as a module of a user. Returns the type errors. */
export function compileSamples(samples: readonly Sample[]): string[] {
  // Within the package, its name refers to the declarations in dist/.
  const folder = mkdtempSync(join(root, 'dist', 'samples-'));
  try {
    const files = samples.map((_, index) => join(folder, `${index}.ts`));
    for (const [index, { code }] of samples.entries())
      writeFileSync(join(folder, `${index}.ts`), `${code}\nexport {};\n`);
    return ts.getPreEmitDiagnostics(createProgram(files)).map(({ file, start = 0, messageText }) => {
      const sample = samples[Number(basename(file?.fileName ?? '', '.ts'))];
      const line = (file?.getLineAndCharacterOfPosition(start).line ?? 0) + 1;
      const text = ts.flattenDiagnosticMessageText(messageText, '\n');
      return `${sample?.origin}, line ${sample?.lineOf(line)}: ${text}`;
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
