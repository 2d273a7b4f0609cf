import { readFileSync, writeFileSync } from 'node:fs';

const readme = new URL('./README.md', import.meta.url);

/** Writes a result into bench/README.md. Throws as {@link withResult} does. */
export function writeResult(name: string, text: string): void {
  writeFileSync(readme, withResult(readFileSync(readme, 'utf8'), name, text));
}

/**
 * The text with the result between the benchmark's markers, replacing an earlier one.
 * @throws Error if the markers are missing
 */
export function withResult(whole: string, name: string, text: string): string {
  const [begin, end] = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`];
  const from = whole.indexOf(begin);
  const to = whole.indexOf(end);
  if (from === -1 || to < from)
    throw new Error(`bench/README.md has no place for the results of ${name}: write ${begin} and ${end} into it.`);
  return `${whole.slice(0, from + begin.length)}\n\n${text}\n\n${whole.slice(to)}`;
}
