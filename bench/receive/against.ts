import { existsSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { median } from '../report.ts';
import { type Measurement, startContender } from './contender.ts';
import { contenderNamed, startSurroundings } from './receive.ts';

const help = `node bench/receive/against.ts DIRECTORY [--rounds N] [--votes N] [--scattered]

Measures the votes of this version of tallyhook beside those of another one, of which DIRECTORY is a checkout with its packages
installed. Both run in turns, and each figure is the median of the ratios of two runs of one round: below 1, this version
takes less. With --scattered, the votes are those of a million members who come back in any order.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    help: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '9' },
    votes: { type: 'string', default: '20000' },
    scattered: { type: 'boolean', default: false },
  },
});
const [other] = positionals;
if (values.help || other === undefined || !existsSync(other)) {
  console.log(help);
  process.exit(values.help ? 0 : 2);
}

const own = resolve(import.meta.dirname, '../..');
const directory = join(own, 'data/bench/against');
const surroundings = await startSurroundings(join(directory, 'surroundings'));
const start = (root: string, name: string) =>
  startContender(contenderNamed(values.scattered ? 'tallyhook-scattered' : 'tallyhook'), {
    ...{ surroundings, directory: join(directory, name) },
    module: pathToFileURL(join(root, 'bench/receive/contender-process.ts')),
  });
const versions = [await start(own, 'own'), await start(resolve(other), 'other')] as const;
const runs: [Measurement[], Measurement[]] = [[], []];
const votes = Number(values.votes);
for (const version of versions) await version.run(votes * 2);
for (let round = 0; round < Number(values.rounds); round += 1) {
  for (const index of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
    runs[index].push(await versions[index].run(votes));
  }
}
const ratio = (pick: (run: Measurement) => number) =>
  median(runs[0].map((run, round) => pick(run) / pick(runs[1][round] ?? run)));
const figures = {
  'time per vote': ratio(({ rate }) => 1 / rate),
  'CPU per vote': ratio(({ cpu }) => cpu),
  p99: ratio(({ p99 }) => p99),
  'bytes written per vote': ratio(({ written }) => written),
  'resident memory': (await versions[0].resident()) / (await versions[1].resident()),
};
const written = median(runs[0].map((run) => run.written));
console.log(`written per vote: ${(written / 1024).toFixed(2)} KB`);
for (const [figure, value] of Object.entries(figures)) console.log(`${figure}: ${value.toFixed(3)}×`);
for (const part of [...versions, surroundings]) await part.stop();
rmSync(directory, { recursive: true, force: true });
