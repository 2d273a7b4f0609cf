/**
 * `npm run check:expressions`: whether an input exists for which a regular expression of the program takes more steps than
 * in proportion to its length. One that is created at run time needs a function in the table of test/linear-time.test.ts,
 * and its file in the list below.
 */
import { globSync, readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { check } from 'recheck';
import { parseAst } from 'rolldown/parseAst';

const createdAtRunTime = [
  'packages/local-discord/src/page/browser/typed-line.ts',
  'packages/local-discord/src/rest.ts',
];
/** For one expression (ms). */
const timeout = 30_000;

const literals = new Map<string, { path: string; pattern: string; flags: string }>();
const dynamic = new Set<string>();
for (const path of globSync('{packages/*/src,src,commands,config}/**/*.ts').sort()) {
  visit(parseAst(readFileSync(path, 'utf8'), { lang: 'ts' }), (node) => {
    const { regex, callee } = node as { regex?: { pattern: string; flags: string }; callee?: { name?: string } };
    if (regex) literals.set(`/${regex.pattern}/${regex.flags}`, { path, ...regex });
    if (callee?.name === 'RegExp') dynamic.add(path);
  });
}

let issues = 0;
for (const [expression, { path, pattern, flags }] of literals) {
  const { status, ...diagnostics } = await check(pattern, flags, { timeout });
  if (status === 'safe') continue;
  issues += 1;
  const details = 'attack' in diagnostics ? `${diagnostics.complexity?.summary}: ${diagnostics.attack.pattern}` : '';
  console.error(`${path}: ${expression} is ${status}. ${details}`);
}
if (!isDeepStrictEqual([...dynamic], createdAtRunTime)) {
  issues += 1;
  console.error(`Regular expressions are created at run time in: ${[...dynamic].join(', ')}`);
}
console.log(`${literals.size} regular expressions, ${issues} issues`);
process.exitCode = issues > 0 || literals.size < 100 ? 1 : 0;

function visit(node: unknown, onNode: (node: object) => void): void {
  if (typeof node !== 'object' || node === null) return;
  onNode(node);
  for (const child of Object.values(node)) visit(child, onNode);
}
