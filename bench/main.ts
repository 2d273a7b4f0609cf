/**
 * Measures how fast tallyhook is, beside what people would use instead.
 *
 *   npm run bench                          everything, in under a quarter of an hour
 *   npm run bench -- receive --quick       one benchmark, roughly, in a minute
 *   npm run bench -- --write               puts the results into bench/README.md
 *   npm run bench -- receive --million     also a million votes through one receiver
 *   npm run bench -- ledger --keep         keeps the large database for the next run
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Benchmark } from './benchmark.ts';
import { commands } from './commands/commands.ts';
import { ledger } from './ledger/ledger.ts';
import { busyness, machine } from './machine.ts';
import { markdown } from './markdown.ts';
import { writeResult } from './readme.ts';
import { receive } from './receive/receive.ts';
import { start } from './start/start.ts';

const benchmarks: readonly Benchmark[] = [receive, commands, ledger, start];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    million: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
  },
});
const unknown = positionals.filter((name) => !benchmarks.some((benchmark) => benchmark.name === name));
if (unknown.length > 0) {
  const known = benchmarks.map(({ name }) => name).join(', ');
  console.error(`There is no benchmark ${unknown.join(', ')}. There are: ${known}.`);
  process.exit(2);
}

// Not in the system's directory for temporary files: that may be memory, which makes everything durable for nothing.
const directory = join(import.meta.dirname, '..', 'data', 'bench');
mkdirSync(directory, { recursive: true });
const busy = busyness() > 0.25 ? ' The machine was busy with other things, so the figures are rough.' : '';
if (busy !== '')
  console.error(`This machine is busy (${busyness().toFixed(1)} waiting per CPU): the figures will be rough.`);
const began = performance.now();

for (const benchmark of benchmarks) {
  if (positionals.length > 0 && !positionals.includes(benchmark.name)) continue;
  const report = await benchmark.measure({ ...values, directory }, (progress) => {
    const seconds = Math.round((performance.now() - began) / 1_000);
    console.error(`${String(seconds).padStart(4)} s  ${benchmark.name}: ${progress}`);
  });
  const text = markdown(report);
  console.log(`\n## ${benchmark.name}\n\n${text}\n`);
  if (values.write) writeResult(benchmark.name, `${occasion()}\n\n${text}`);
}

/** When and on what it was measured, and how thoroughly. */
function occasion(): string {
  const today = new Date().toISOString().slice(0, 10);
  return `Measured on ${today}${values.quick ? ' with --quick' : ''}: ${machine(directory)}.${busy}`;
}
