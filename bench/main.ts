/** `npm run bench`: compares the speed of tallyhook with alternatives. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@tallyhook/platform/clock';
import { messageOf } from '@tallyhook/platform/errors';
import type { Benchmark } from './benchmark.ts';
import { type Arguments, help, parseArguments } from './command-line.ts';
import { commands } from './commands/commands.ts';
import { interactions } from './interactions/interactions.ts';
import { ledger } from './ledger/ledger.ts';
import { busyness, machineDetails, machineName } from './machine.ts';
import { markdown } from './markdown.ts';
import { pictures } from './pictures/pictures.ts';
import { writeResult } from './readme.ts';
import { receive } from './receive/receive.ts';
import { communities } from './scale/communities.ts';
import { scale } from './scale/scale.ts';
import { service } from './service/service.ts';
import { start } from './start/start.ts';
import { versions } from './versions.ts';

const benchmarks: readonly Benchmark[] = [
  ...[receive, scale, communities, commands, interactions, pictures, ledger, service, start],
];
const names = benchmarks.map(({ name }) => name);

const args = readArguments();
if (args?.help) console.log(args.names.length < names.length ? methodsOf(args.names) : `${help} ${names.join(', ')}.`);
else if (args !== null) await measureAll(args);

/** What these benchmarks measure, and how. */
function methodsOf(chosen: readonly string[]): string {
  const those = benchmarks.filter(({ name }) => chosen.includes(name));
  return those.map(({ name, method }) => `${name}\n\n${method}`).join('\n\n');
}

/** Null for invalid arguments; the error has been printed. */
function readArguments(): Arguments | null {
  try {
    return parseArguments(process.argv.slice(2), names);
  } catch (error) {
    console.error(messageOf(error), '"npm run bench -- --help" names what there is.');
    process.exitCode = 2;
    return null;
  }
}

async function measureAll(args: Arguments): Promise<void> {
  // Not in the temporary directory: it may be in memory, where fsync costs nothing.
  const directory = join(import.meta.dirname, '..', 'data', 'bench');
  mkdirSync(directory, { recursive: true });
  const wasBusy = busyness() > 0.25;
  if (wasBusy)
    console.error(`This machine is busy (${busyness().toFixed(1)} wait per CPU): the figures will be rough.`);
  const startedAt = performance.now();

  for (const { name, against, measure } of benchmarks.filter((each) => args.names.includes(each.name))) {
    const report = await measure({ ...args, directory }, (progress) => {
      const seconds = Math.round((performance.now() - startedAt) / 1_000);
      console.error(`${String(seconds).padStart(4)} s  ${name}: ${progress}`);
    });
    console.log(`\n## ${name}\n\n${markdown(report)}\n`);
    const day = new Date(systemClock.now()).toISOString().slice(0, 10);
    const provenance = [
      `${day}${args.quick ? ' with --quick' : ''}: ${machineDetails(directory)}.`,
      `${versions(against)}.`,
      ...(wasBusy ? ['The machine was busy with other things, so the figures are rough.'] : []),
    ];
    if (args.write)
      writeResult(name, { machine: machineName(), provenance: provenance.join(' '), goals: report.goals });
  }
}
