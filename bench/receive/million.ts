import { join } from 'node:path';
import type { Tell } from '../benchmark.ts';
import { atMost, figure, type Report, type Table } from '../report.ts';
import { median } from '../samples.ts';
import { contenders } from './contender.ts';
import { proveKept } from './kept.ts';
import { type Surroundings, startContender } from './running.ts';

const blocks = 40;
const block = 25_000;
/** By then the heap has grown to what the load takes (blocks). */
const settled = 8;

interface Sample {
  readonly votes: number;
  /** MB. */
  readonly resident: number;
  readonly held: number;
  readonly rate: number;
}

/** A million votes through one receiver: memory that grows with them would end a small machine in a month. */
export async function measureMillion(surroundings: Surroundings, tell: Tell): Promise<Report> {
  const directory = join(surroundings.directory, 'million');
  const contender = contenders.find(({ name }) => name === 'tallyhook');
  if (contender === undefined) throw new Error('tallyhook is no contender.');
  const tallyhook = await startContender(contender, { ...surroundings, directory });
  const samples: Sample[] = [];
  try {
    for (let turn = 1; turn <= blocks; turn += 1) {
      const { rate } = await tallyhook.run(block, { forget: true });
      const { resident, held } = await tallyhook.memory();
      samples.push({ votes: turn * block, resident, held, rate });
      tell(`${turn * block} votes: ${figure(resident)} MB`);
    }
    proveKept(tallyhook);
  } finally {
    await tallyhook.stop();
  }
  const early = samples.slice(settled, 2 * settled).map(({ resident }) => resident);
  const late = samples.slice(-settled).map(({ resident }) => resident);
  return {
    goals: [
      atMost('resident memory at the end of a million votes, of that after 300,000', 1.1, median(late) / median(early)),
    ],
    tables: [growth(samples)],
    notes: [],
  };
}

function growth(samples: readonly Sample[]): Table {
  return {
    caption: 'A million votes through one receiver. Memory in MB.',
    columns: ['votes', 'resident', 'held', 'req/s'],
    rows: samples
      .filter((_, at) => (at + 1) % 5 === 0)
      .map(({ votes, resident, held, rate }) => [
        votes.toLocaleString('en-US'),
        figure(resident),
        figure(held),
        figure(rate),
      ]),
  };
}
