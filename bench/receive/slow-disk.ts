import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { LogProgress } from '../benchmark.ts';
import { atLeast, figure, type Goal } from '../report.ts';
import { compare, type Schedule } from './compare.ts';
import { type ContenderName, contenderNamed } from './contender.ts';
import { type Environment, type RunningContender, startContender } from './contender-runner.ts';
import { resultOf } from './goals.ts';
import { verifyDurability } from './verify-durability.ts';

const source = fileURLToPath(new URL('./slow-disk.c', import.meta.url));
const names: readonly ContenderName[] = ['express-sqlite', 'tallyhook'];

/** The same with 2 ms more per fsync: group commit hides it, a commit per vote does not. */
export async function measureSlowDisk(
  environment: Environment,
  schedule: Schedule,
  logProgress: LogProgress,
): Promise<{ goals: readonly Goal[]; notes: readonly string[] }> {
  const directory = join(environment.directory, 'slow-disk');
  mkdirSync(directory, { recursive: true });
  const library = await compiled(join(directory, 'slow-disk.so'));
  if (library === null)
    return { goals: [], notes: ['The slow disk was left out: it takes Linux and a C compiler (`cc`).'] };

  logProgress('once more on a disk that takes 2 ms more per fsync');
  const saturated = schedule.kinds[0] ?? 'own';
  const running: RunningContender[] = [];
  try {
    for (const name of names) {
      running.push(
        await startContender(
          contenderNamed(name),
          { ...environment, directory },
          { variables: { LD_PRELOAD: library } },
        ),
      );
    }
    const results = await compare(
      running,
      { ...schedule, rounds: Math.ceil(schedule.rounds / 2), kinds: [saturated] },
      logProgress,
    );
    const rates = results.map(
      ({ contender, of }) => `${contender.name} ${figure(of(saturated)?.rate ?? Number.NaN)}/s`,
    );
    const { contender, over } = resultOf(results, 'tallyhook');
    verifyDurability(contender);
    const ratio = over('express-sqlite', saturated, 'rate');
    return {
      goals: [atLeast('rate over a transaction per vote, with 2 ms more per fsync', 15, ratio)],
      notes: [`With 2 ms more per fsync: ${rates.join(', ')}.`],
    };
  } finally {
    for (const each of running) await each.stop();
  }
}

/** The path of the library; null without a compiler or not on Linux. */
async function compiled(library: string): Promise<string | null> {
  if (process.platform !== 'linux') return null;
  try {
    await promisify(execFile)('cc', ['-shared', '-fPIC', '-O2', '-o', library, source]);
    return library;
  } catch {
    return null;
  }
}
