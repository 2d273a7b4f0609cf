import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Benchmark } from '../benchmark.ts';
import { startGenerator } from '../load/load.ts';
import { hasWrk } from '../load/wrk.ts';
import { watchOtherPrograms } from '../process/other-programs.ts';
import type { Report } from '../report.ts';
import { compare, maxOtherPrograms, type Schedule } from './compare.ts';
import { contenders } from './contender.ts';
import { type RunningContender, startContender } from './contender-runner.ts';
import { goals, resultOf } from './goals.ts';
import { measureMemory } from './memory.ts';
import { measureProfile } from './profile.ts';
import { measureSingleVote } from './single.ts';
import { measureSlowDisk } from './slow-disk.ts';
import { measureSoak } from './soak.ts';
import { startSurroundings } from './surroundings.ts';
import { tables } from './tables.ts';
import { verifyDurability } from './verify-durability.ts';

const withoutWrk =
  'wrk is not on the PATH, so our own sender measured everything; it takes more CPU, which the servers lack.';

const method = `One vote from the first byte to the 200: signature, event, entry, balance, announcement in the outbox, commit with
\`synchronous=FULL\`. The whole program runs, with SQLite on a real disk (\`data/bench\`).

Each tallyhook has its own local Discord, which responds and limits as Discord does (five messages in five seconds to
a channel, then 429), so while votes arrive nearly all announcements wait in the outbox. These Discords and the
listing service share a process that takes less than 0.01 cores. One row has a Discord and a service that accept
connections and never respond.

The load comes from wrk if it is on the PATH (Debian: \`apt install wrk\`): a script sends requests that were built
and signed in advance, each once, and every one is answered before a run ends. Otherwise, and in the column "own", it
comes from a Node process with raw sockets, which sends the same requests. At saturation (closed loop) each of 64
connections sends the next vote when the previous one is answered; wrk's percentiles include the votes that a stall
kept it from sending. At half load (open loop), always with our own sender, votes are sent at a constant rate and
latency counts from the time a vote was due, so a stall is visible.

In each round all contenders run in turns, first at saturation and then at half load, and a ratio is the median over
the rounds of two runs of the same round. 100,003 members vote in the order of their ids, starting with an empty
database. In the row of scattered voters, 1,000,003 members have voted before and vote in scattered order, so that
each vote changes another database page. The 1,000 listings are servers with accounts of their own, so their votes, which
are spread over them, do so too; they are compared with those for one listing whose members vote in random order.

tallyhook has the options of Node that \`npm start\` gives it. CPU time is that of the server's process, by thread.
What other programs use meanwhile is measured too: two threads beside a busy neighbour lose more than one does, so
with more than 0.2 cores the figures are rough, and the output says so. \`--soak\` adds a million votes through one
receiver and records its memory.`;

/** The cost of a vote from the first byte to the 200, compared with alternatives. */
export const receive: Benchmark = {
  name: 'receive',
  method,
  against: ['express', 'fastify', 'hono', '@hono/node-server', '@top-gg/sdk', '@octokit/webhooks', '@keyv/sqlite'],
  async measure(profile, logProgress) {
    const saturated = (await hasWrk()) ? 'wrk' : 'own';
    const schedule: Schedule = {
      ...(profile.quick ? { rounds: 3, seconds: 0.5 } : { rounds: 5, seconds: 2 }),
      kinds: saturated === 'wrk' ? ['wrk', 'own', 'half'] : ['own', 'half'],
    };
    const directory = join(profile.directory, 'receive');
    rmSync(directory, { recursive: true, force: true });
    const surroundings = await startSurroundings(join(directory, 'surroundings'));
    const generator = await startGenerator();
    const otherPrograms = watchOtherPrograms();
    for (const { pid } of [surroundings, generator]) otherPrograms.track(pid);
    const environment = { generator, directory, surroundings, otherPrograms };
    const running: RunningContender[] = [];
    try {
      if (profile.profile) {
        const options = { sender: saturated, seconds: profile.quick ? 2 : 5 } as const;
        return await measureProfile(environment, options, logProgress);
      }
      for (const contender of contenders) running.push(await startContender(contender, environment));
      const results = await compare(running, schedule, logProgress);
      const { contender: tallyhook } = resultOf(results, 'tallyhook');
      const single = await measureSingleVote(tallyhook, directory, profile.quick ? 4 : 20);
      const verified = running.filter(({ module }) => module === 'tallyhook').map(verifyDurability);
      for (const each of running.splice(0)) await each.stop();

      logProgress('memory');
      const memory = await measureMemory(environment, { sender: saturated });
      const slow = await measureSlowDisk(environment, schedule, logProgress);
      const soak = profile.soak ? await measureSoak(environment, logProgress) : null;
      return {
        goals: [...goals(results, saturated), single, memory, ...slow.goals, ...(soak?.goals ?? [])],
        tables: [...tables(results, saturated), ...(soak?.tables ?? [])],
        notes: [
          `All ${sum(verified).toLocaleString('en-US')} votes that tallyhook acknowledged were found in its databases: row, entry, effect, and balances equal to the sums of the entries.`,
          ...slow.notes,
          ...(soak?.notes ?? []),
          ...(saturated === 'wrk' ? [] : [withoutWrk]),
          noteOnOtherPrograms(otherPrograms.summary()),
        ],
      } satisfies Report;
    } finally {
      for (const each of running) await each.stop();
      await generator.stop();
      await surroundings.stop();
      rmSync(directory, { recursive: true, force: true });
    }
  },
};

function noteOnOtherPrograms({ mean, max }: { mean: number; max: number }): string {
  if (Number.isNaN(mean)) return 'How much CPU other programs used during the runs is not known on this system.';
  const used = `${mean.toFixed(2)} cores during the runs, at most ${max.toFixed(2)} in one of them`;
  return mean > maxOtherPrograms
    ? `**Other programs used ${used}: more than ${maxOtherPrograms}, so the figures are rough.**`
    : `Other programs used ${used}.`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
