import { join } from 'node:path';
import type { LogProgress } from '../benchmark.ts';
import { atMost, figure, type Report, type Table } from '../report.ts';
import { median } from '../samples.ts';
import { contenderNamed } from './contender.ts';
import { type Environment, startContender } from './contender-runner.ts';
import { verifyDurability } from './verify-durability.ts';

const blocks = 40;
const block = 25_000;
/** The length of the two compared sections, after the middle and at the end (blocks). */
const stretch = 8;

interface Sample {
  readonly votes: number;
  /** MB. */
  readonly resident: number;
  readonly heapUsed: number;
  readonly rate: number;
}

/**
 * A million votes through one receiver, to detect memory leaks. Over the first half the heap
 * grows to its working size, until the first full collection.
 */
export async function measureSoak(environment: Environment, logProgress: LogProgress): Promise<Report> {
  const directory = join(environment.directory, 'million');
  const tallyhook = await startContender(contenderNamed('tallyhook'), { ...environment, directory });
  const samples: Sample[] = [];
  try {
    for (let turn = 1; turn <= blocks; turn += 1) {
      const { rate } = await tallyhook.run(block);
      const { resident, heapUsed } = await tallyhook.memory();
      samples.push({ votes: turn * block, resident, heapUsed, rate });
      logProgress(`${turn * block} votes: ${figure(resident)} MB`);
    }
    verifyDurability(tallyhook);
  } finally {
    await tallyhook.stop();
  }
  const residentIn = (part: readonly Sample[]) => median(part.map(({ resident }) => resident));
  const halfway = residentIn(samples.slice(blocks / 2, blocks / 2 + stretch));
  const atTheEnd = residentIn(samples.slice(-stretch));
  return {
    goals: [atMost('resident memory at the end of a million votes, of that halfway', 1.1, atTheEnd / halfway)],
    tables: [growth(samples)],
    notes: [],
  };
}

function growth(samples: readonly Sample[]): Table {
  return {
    caption: 'A million votes through one receiver. Memory in MB.',
    columns: ['votes', 'resident', 'heapUsed', 'req/s'],
    rows: samples
      .filter((_, at) => (at + 1) % 5 === 0)
      .map(({ votes, resident, heapUsed, rate }) => [
        votes.toLocaleString('en-US'),
        figure(resident),
        figure(heapUsed),
        figure(rate),
      ]),
  };
}
