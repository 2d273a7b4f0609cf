import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundle } from '../../scripts/bundle.ts';
import { readNodeOptions } from '../process/node-options.ts';
import { type Goal, within } from '../report.ts';
import { contenderNamed } from './contender.ts';
import { type Environment, type RunOptions, startContender } from './contender-runner.ts';

/** Enough for the young generations of both threads to reach their size. */
const votes = 150_000;
const block = 25_000;
const root = new URL('../../', import.meta.url);

/**
 * Resident memory after many votes at saturation, of a receiver that has done nothing else. It is a bundle, as `npm
 * start` and the image run it: from the sources, the program takes 100 MB more.
 */
export async function measureMemory(environment: Environment, options: RunOptions): Promise<Goal> {
  const directory = join(environment.directory, 'memory');
  const program = join(directory, 'program');
  await bundle(program, { bundled: 'bench/receive/bundled-process.ts' });
  const tallyhook = await startContender(
    contenderNamed('tallyhook'),
    { ...environment, directory },
    { module: pathToFileURL(join(program, 'bundled.js')), nodeOptions: readNodeOptions(root) },
  );
  try {
    for (let sent = 0; sent < votes; sent += block) await tallyhook.run(block, options);
    const { resident } = await tallyhook.memory();
    return within(`resident memory after ${votes.toLocaleString('en-US')} votes`, 320, resident, 'MB');
  } finally {
    await tallyhook.stop();
  }
}
