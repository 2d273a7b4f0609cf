import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript-5.9';
import { examplesOf } from './docstrings.ts';
import { createProgram, type PublicApi } from './public-api.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Type errors in the `@example`s of exports, each compiled as a module of a user. */
export function checkExamples(apis: readonly PublicApi[]): string[] {
  const folder = mkdtempSync(join(root, 'dist', 'examples-'));
  try {
    const examples = new Map<string, string>();
    for (const { exports } of apis)
      for (const [name, symbol] of exports)
        for (const [index, code] of examplesOf(symbol).entries())
          examples.set(`${name}-${index}.ts`, `${code}\nexport {};\n`);
    for (const [file, code] of examples) writeFileSync(join(folder, file), code);
    // Within the package, its name refers to the declarations in dist/.
    const files = [...examples.keys()].map((file) => join(folder, file));
    return ts.getPreEmitDiagnostics(createProgram(files)).map(({ file, start = 0, messageText }) => {
      const line = file?.getLineAndCharacterOfPosition(start).line ?? 0;
      const text = ts.flattenDiagnosticMessageText(messageText, '\n');
      return `@example of ${file?.fileName
        .split('/')
        .at(-1)
        ?.replace(/-\d+\.ts$/, '')}, line ${line + 1}: ${text}`;
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
