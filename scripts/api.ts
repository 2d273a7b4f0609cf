/**
 * Compares the public API with the reports in docs/api, or with `--update` writes them. Also checks that every type in a
 * signature is exported, the docstrings, and that the samples in them and in the documents compile. Needs the declarations in dist/: `npm run build && npm run api:check`.
 */
import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readCodeBlocks } from './api/code-blocks.ts';
import { compileSamples, docstringSamples, documentSamples } from './api/compile-samples.ts';
import { checkDocstrings, createProgram, readApis, renderReport } from './api/public-api.ts';
import { readEntries } from './entries.ts';

const folder = fileURLToPath(new URL('../docs/api/', import.meta.url));
const isUpdate = process.argv.includes('--update');

const entries = readEntries();
const program = createProgram(entries.map(({ declarations }) => declarations));
const checker = program.getTypeChecker();
const errors: string[] = [];
const expected = new Set<string>();

mkdirSync(folder, { recursive: true });
const apis = readApis(entries, program);
for (const api of apis) {
  const { entry, unexported } = api;
  for (const [type, user] of unexported) errors.push(`${entry.name}: ${user} uses ${type}, which is not exported.`);
  const file = `${entry.shortName}.api.md`;
  expected.add(file);
  const path = join(folder, file);
  const report = renderReport(api, checker);
  const stored = globSync(path).length > 0 ? readFileSync(path, 'utf8') : '';
  if (isUpdate) writeFileSync(path, report);
  else if (stored !== report) errors.push(showDifference(stored, report, `docs/api/${file}`));
}
for (const path of globSync('*.api.md', { cwd: folder })) {
  if (expected.has(basename(path))) continue;
  if (isUpdate) rmSync(join(folder, path));
  else errors.push(`docs/api/${path} belongs to no entry.`);
}
errors.push(...checkDocstrings(apis));
errors.push(...compileSamples([...docstringSamples(apis), ...documentSamples(readCodeBlocks())]));

if (errors.length > 0) {
  console.error(errors.join('\n'));
  console.error('\nTo change the public API: npm run build && npm run api, and commit docs/api.');
  process.exitCode = 1;
} else {
  const count = apis.reduce((sum, { exports }) => sum + exports.size, 0);
  console.log(`${count} exports of ${apis.length} entries are as in docs/api.`);
}

/** The unified diff of two texts. */
function showDifference(before: string, after: string, name: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'tallyhook-api-'));
  try {
    writeFileSync(join(folder, 'before'), before);
    writeFileSync(join(folder, 'after'), after);
    execFileSync('git', ['diff', '--no-index', '--unified=2', 'before', 'after'], { cwd: folder, encoding: 'utf8' });
    return '';
  } catch (error) {
    // Its exit status is 1 if the files differ.
    const text = error instanceof Error && 'stdout' in error ? String(error.stdout) : String(error);
    return `${name} differs from the public API:\n${text.split('\n').slice(4).join('\n')}`;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
