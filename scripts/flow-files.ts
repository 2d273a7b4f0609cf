/** Counts the files in which a function runs for every vote, command and purchase: those that its reader has to open. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { figuresOf, measureFlows } from './flow-files/measure.ts';

const help = `Counts the files of src, commands and config in which a function runs whenever a flow runs.

  node scripts/flow-files.ts [--functions]

  --functions   also prints the functions of each file

A bot on a SQLite file runs with the local Discord and a listing service. V8 counts the calls of its functions, on the main
thread and in the writer thread, in runs that repeat a flow n times, and in runs that repeat it m times more. What has at
least m more calls, without those of an idle bot in the same time, runs whenever the flow does. The flows and their limits
are in scripts/flow-files/limits.ts.

Takes about two minutes. Exits with 1 if there are more files than there may be.`;

const { values } = parseArgs({
  options: { functions: { type: 'boolean', default: false }, help: { type: 'boolean', short: 'h', default: false } },
});
if (values.help) console.log(help);
else await main();

async function main(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'flow-files-'));
  try {
    const flows = await measureFlows(directory);
    for (const flow of flows) {
      for (const thread of ['main', 'writer'] as const) {
        if (flow[thread].size === 0) continue;
        console.log(`${flow.name}, ${thread} thread (${flow[thread].size}):`);
        for (const [file, functions] of [...flow[thread]].sort(([one], [other]) => one.localeCompare(other))) {
          console.log(`  ${file}${values.functions ? `: ${functions.join(', ')}` : ''}`);
        }
        console.log();
      }
    }
    for (const { name, files, limit } of figuresOf(flows)) {
      console.log(`${name}: ${files} files, at most ${limit}`);
      if (files > limit) process.exitCode = 1;
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
