/**
 * Measures how long it takes to import each entry of the package in a new process, after `npm run build`: the median of
 * several runs, in milliseconds, and the memory that it adds.
 */
import { execFileSync } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { readEntries } from './entries.ts';

const runs = 9;
const measure = `
  const memory = process.memoryUsage().rss;
  const startedAt = performance.now();
  await import(process.argv[1]);
  console.log(performance.now() - startedAt, (process.memoryUsage().rss - memory) / 1e6);
`;

for (const { name, module } of readEntries()) {
  const url = pathToFileURL(module).href;
  const results = Array.from({ length: runs }, () => {
    const output = execFileSync(process.execPath, ['--input-type=module', '--eval', measure, url], {
      encoding: 'utf8',
    });
    return output.split(' ').map(Number);
  });
  const [ms = 0, megabytes = 0] = [0, 1].map((column) => medianOf(results.map((result) => result[column] ?? 0)));
  console.log(`${name.padEnd(20)} ${ms.toFixed(0).padStart(6)} ms ${megabytes.toFixed(0).padStart(5)} MB`);
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
