import { join } from 'node:path';
import { type Goal, within } from '../report.ts';
import { contenderNamed } from './contender.ts';
import { type Environment, type RunOptions, startContender } from './contender-runner.ts';

/** Enough for the young generations of both threads to reach their size. */
const votes = 150_000;
const block = 25_000;

/** Resident memory after many votes at saturation, by a receiver that has done nothing else. */
export async function measureMemory(environment: Environment, sender: RunOptions['sender']): Promise<Goal> {
  const directory = join(environment.directory, 'memory');
  const tallyhook = await startContender(contenderNamed('tallyhook'), { ...environment, directory });
  try {
    for (let sent = 0; sent < votes; sent += block) await tallyhook.run(block, sender === undefined ? {} : { sender });
    const { resident } = await tallyhook.memory();
    return within(`resident memory after ${votes.toLocaleString('en-US')} votes`, 320, resident, 'MB');
  } finally {
    await tallyhook.stop();
  }
}
