/**
 * `npm run check:expressions`: whether an input exists for which a regular expression of the program takes more steps than
 * in proportion to its length. One that is created at run time needs a function in the table of test/linear-time.test.ts,
 * and its file in the list below.
 */
import { globSync, readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { runInNewContext } from 'node:vm';
import { check } from 'recheck';
import { parseAst } from 'rolldown/parseAst';

const createdAtRunTime = [
  'packages/local-discord/src/page/browser/typed-line.ts',
  'packages/local-discord/src/rest.ts',
];
/** An attack that takes less is none (ms). It is a hundred thousand characters, for which a linear search takes 2 ms. */
const maxSearchMs = 2_000;

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
  const result = await check(pattern, flags, { timeout: null });
  if (result.status === 'safe') continue;
  if (result.status === 'vulnerable' && result.checker === 'fuzz') {
    // What it calls an attack may be fast in V8.
    if (!isSlow(new RegExp(pattern, flags), result.attack.string)) continue;
  }
  issues += 1;
  const details = result.status === 'vulnerable' ? `${result.complexity.summary}: ${result.attack.pattern}` : '';
  console.error(`${path}: ${expression} is ${result.status}. ${details}`);
}
if (!isDeepStrictEqual([...dynamic], createdAtRunTime)) {
  issues += 1;
  console.error(`Regular expressions are created at run time in: ${[...dynamic].join(', ')}`);
}
console.log(`${literals.size} regular expressions, ${issues} issues`);
process.exitCode = issues > 0 || literals.size < 100 ? 1 : 0;

function isSlow(expression: RegExp, text: string): boolean {
  try {
    runInNewContext('expression.test(text)', { expression, text }, { timeout: maxSearchMs });
    return false;
  } catch {
    return true;
  }
}

function visit(node: unknown, onNode: (node: object) => void): void {
  if (typeof node !== 'object' || node === null) return;
  onNode(node);
  for (const child of Object.values(node)) visit(child, onNode);
}
