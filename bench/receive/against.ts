import { existsSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { startGenerator } from '../load/load.ts';
import { hasWrk } from '../load/wrk.ts';
import { watchOtherPrograms } from '../process/other-programs.ts';
import { median } from '../samples.ts';
import { type ContenderName, contenderNamed } from './contender.ts';
import { type Measurement, startContender } from './contender-runner.ts';
import { startSurroundings } from './surroundings.ts';

const help = `node bench/receive/against.ts DIRECTORY [--rounds N] [--votes N]

Measures this version of tallyhook beside another one, of which DIRECTORY is a checkout with its packages installed: plain
votes, votes with every rule, the time to start, and memory. Both run in turns, and each figure is the median of the ratios
of two runs of one round: below 1, this version takes less.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    help: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '9' },
    votes: { type: 'string', default: '20000' },
  },
});
const [other] = positionals;
if (values.help || other === undefined || !existsSync(other)) {
  console.log(help);
  process.exit(values.help ? 0 : 2);
}

const roots = { own: resolve(import.meta.dirname, '../..'), other: resolve(other) };
type Version = keyof typeof roots;
const [rounds, votes] = [Number(values.rounds), Number(values.votes)];
const directory = join(roots.own, 'data/bench/against');

async function measure(name: ContenderName): Promise<void> {
  const surroundings = await startSurroundings(join(directory, 'surroundings'));
  const generator = await startGenerator();
  const otherPrograms = watchOtherPrograms();
  for (const { pid } of [surroundings, generator]) otherPrograms.track(pid);
  const start = async (version: Version) => {
    const startedAt = performance.now();
    const contender = await startContender(
      contenderNamed(name),
      { generator, surroundings, otherPrograms, directory: join(directory, version) },
      { module: pathToFileURL(join(roots[version], 'bench/receive/contender-process.ts')) },
    );
    return { contender, tookMs: performance.now() - startedAt };
  };
  const running = { own: await start('own'), other: await start('other') };
  const sender = (await hasWrk()) ? 'wrk' : 'own';
  const runs: Record<Version, Measurement[]> = { own: [], other: [] };
  const versions = ['own', 'other'] as const;
  for (const version of versions) await running[version].contender.run(votes * 2, { sender });
  for (let round = 0; round < rounds; round += 1) {
    for (const version of round % 2 === 0 ? versions : versions.toReversed())
      runs[version].push(await running[version].contender.run(votes, { sender }));
  }
  const ratio = (figure: keyof Measurement) =>
    median(runs.own.map((measured, round) => measured[figure] / (runs.other[round]?.[figure] ?? Number.NaN)));
  const memory = { own: await running.own.contender.memory(), other: await running.other.contender.memory() };
  const figures = {
    'time per vote': 1 / ratio('rate'),
    'CPU per vote': ratio('cpu'),
    'CPU of the main thread': ratio('mainCpu'),
    'CPU of the writer thread': ratio('workerCpu'),
    p99: ratio('p99'),
    'resident memory': memory.own.resident / memory.other.resident,
    start: running.own.tookMs / running.other.tookMs,
  };
  for (const [figure, value] of Object.entries(figures)) console.log(`${name}, ${figure}: ${value.toFixed(3)}×`);
  for (const version of versions) await running[version].contender.stop();
  await generator.stop();
  await surroundings.stop();
  rmSync(directory, { recursive: true, force: true });
  const { mean } = otherPrograms.summary();
  console.log(`Other programs used ${mean.toFixed(2)} cores meanwhile.`);
}

for (const name of ['tallyhook', 'tallyhook-rewards'] as const) await measure(name);
