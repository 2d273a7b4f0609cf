/**
 * Counts the files in which a function runs for every vote and for every `/canvote`: those that somebody has to open who
 * follows one through the program.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { figuresOf } from './flow-files/figures.ts';
import { type Flow, measureFlows } from './flow-files/measure.ts';

const help = `Counts the files of src, commands and config in which a function runs for every event of a kind.

  node scripts/flow-files.ts [--functions]

  --functions   also prints the functions of each file

A bot on a SQLite file runs with the local Discord and a listing service. V8 counts the calls of its functions, on the main
thread and in the writer thread, in runs of 30 events and in runs of 50: what has at least 20 more calls runs for every event.
The events are votes, sent one after another, of different members and without rules and a channel; and /canvote from the
cache, through the gateway and over HTTP.

Takes about 20 seconds. Exits with 1 if there are more files than there may be.`;

const { values } = parseArgs({
  options: { functions: { type: 'boolean', default: false }, help: { type: 'boolean', short: 'h', default: false } },
});
if (values.help) console.log(help);
else await main();

async function main(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'flow-files-'));
  try {
    const flows = await measureFlows(directory);
    print('votes', flows.delivery);
    print('/canvote through the gateway', flows.gatewayCommand);
    print('/canvote over HTTP', flows.httpCommand);
    for (const { name, files, limit } of figuresOf(flows)) {
      console.log(`${name}: ${files} files, at most ${limit}`);
      if (files > limit) process.exitCode = 1;
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function print(name: string, flow: Flow): void {
  for (const thread of ['main', 'writer'] as const) {
    if (flow[thread].size === 0) continue;
    console.log(`${name}, ${thread} thread (${flow[thread].size}):`);
    for (const file of [...flow[thread].keys()].sort()) {
      const functions = values.functions ? `: ${flow[thread].get(file)?.join(', ')}` : '';
      console.log(`  ${file}${functions}`);
    }
    console.log();
  }
}
