/** `npm run bench`: compares the speed of tallyhook with alternatives. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { systemClock } from '@tallyhook/platform/clock';
import { messageOf } from '@tallyhook/platform/errors';
import { commands } from './commands/commands.ts';
import { busyness, machineDetails, machineName } from './machine.ts';
import { receive } from './receive/receive.ts';
import { type Benchmark, goalTable, markdown } from './report.ts';
import { scale } from './scale/scale.ts';
import { start } from './start/start.ts';

const benchmarks: readonly Benchmark[] = [receive, scale, commands, start];

const help = `Measures how fast tallyhook is, beside what people would use instead.

  npm run bench                        everything, in about 15 minutes
  npm run bench -- receive --quick     one benchmark, roughly, in two minutes
  npm run bench -- receive --help      what it measures, and how

  --quick     fewer rounds and shorter runs
  --write     put the results into bench/README.md

The benchmarks are ${benchmarks.map(({ name }) => name).join(', ')}.`;

const args = readArguments();
if (args === null) process.exitCode = 2;
else if (!args.help) await measureAll(args);
else if (args.chosen === benchmarks) console.log(help);
else console.log(args.chosen.map(({ name, method }) => `${name}\n\n${method}`).join('\n\n'));

interface Arguments {
  readonly chosen: readonly Benchmark[];
  readonly quick: boolean;
  readonly write: boolean;
  readonly help: boolean;
}

/** Null for invalid arguments; the error has been printed. */
function readArguments(): Arguments | null {
  const flag = { type: 'boolean', default: false } as const;
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { quick: flag, write: flag, help: { ...flag, short: 'h' } },
    });
    const unknown = positionals.find((name) => !benchmarks.some((each) => each.name === name));
    if (unknown !== undefined) throw new Error(`There is no benchmark "${unknown}".`);
    const chosen = positionals.length === 0 ? benchmarks : benchmarks.filter(({ name }) => positionals.includes(name));
    return { ...values, chosen };
  } catch (error) {
    console.error(messageOf(error), '"npm run bench -- --help" names what there is.');
    return null;
  }
}

async function measureAll({ chosen, quick, write }: Arguments): Promise<void> {
  // Not in the temporary directory: it may be in memory, where fsync costs nothing.
  const parent = join(import.meta.dirname, '..', 'data', 'bench');
  const wasBusy = busyness() > 0.25;
  if (wasBusy)
    console.error(`This machine is busy (${busyness().toFixed(1)} wait per CPU): the figures will be rough.`);
  const startedAt = performance.now();

  for (const { name, measure } of chosen) {
    const directory = join(parent, name);
    rmSync(directory, { recursive: true, force: true });
    mkdirSync(directory, { recursive: true });
    const report = await measure({ quick, directory }, (progress) => {
      const seconds = Math.round((performance.now() - startedAt) / 1_000);
      console.error(`${String(seconds).padStart(4)} s  ${name}: ${progress}`);
    }).finally(() => rmSync(directory, { recursive: true, force: true }));
    console.log(`\n## ${name}\n\n${markdown(report)}\n`);
    const day = new Date(systemClock.now()).toISOString().slice(0, 10);
    const provenance = [
      `${machineName()}, ${machineDetails()}, ${day}${quick ? ' with --quick' : ''}.`,
      ...(wasBusy ? ['The machine was busy with other things, so the figures are rough.'] : []),
    ];
    if (write) writeResult(name, `${goalTable(report.goals)}\n\n${provenance.join(' ')}`);
  }
}

/** Writes a result between the markers of its benchmark. */
function writeResult(name: string, result: string): void {
  const readme = new URL('./README.md', import.meta.url);
  const [begin, end] = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`];
  const [before, after] = readFileSync(readme, 'utf8').split(new RegExp(`(?<=${begin})[^]*(?=${end})`));
  if (after === undefined) throw new Error(`bench/README.md has no place for the results of ${name}.`);
  writeFileSync(readme, `${before}\n\n${result}\n\n${after}`);
}
