import { readFileSync, writeFileSync } from 'node:fs';

const readme = new URL('./README.md', import.meta.url);

/**
 * Puts a result between the benchmark's markers in the README.
 * @throws Error where the README has no such markers
 */
export function writeResult(name: string, text: string): void {
  const [begin, end] = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`];
  const whole = readFileSync(readme, 'utf8');
  const from = whole.indexOf(begin);
  const to = whole.indexOf(end);
  if (from === -1 || to < from)
    throw new Error(`bench/README.md has no place for the results of ${name}: ${begin} … ${end}`);
  writeFileSync(readme, `${whole.slice(0, from + begin.length)}\n${text}\n${whole.slice(to)}`);
}
