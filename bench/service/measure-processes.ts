import { availableParallelism } from 'node:os';
import type { LogProgress, Profile } from '../benchmark.ts';
import { type Child, startChild } from '../process/child.ts';
import { atLeast, atMost, figure, type Goal } from '../report.ts';
import { median } from '../samples.ts';
import type { FilledDatabase } from './fill.ts';
import { lookupRequests } from './lookups.ts';
import { chooseSender, keysOf } from './measure-lookups.ts';

/** Cores with which two processes and their load generators do not wait for each other. */
const coresForTwo = 4;
const connections = 16;

/**
 * Lookups at two processes on one database, each with keys and a sender of its own, beside one process. With too few
 * cores for the rates, the CPU time per request is compared: two processes must not cost each other anything.
 */
export async function measureProcesses(
  filled: FilledDatabase,
  profile: Profile,
  logProgress: LogProgress,
): Promise<{ readonly goal: Goal; readonly note: string }> {
  const send = await chooseSender();
  const module = new URL('./service-process.ts', import.meta.url);
  const children: Child[] = [];
  for (let index = 0; index < 2; index += 1) children.push(await startChild(module, [`sqlite:${filled.path}`]));
  try {
    const ports = await Promise.all(children.map((child) => child.ask<number>('port')));
    const count = profile.quick ? 10_000 : 20_000;

    async function run(processes: number): Promise<{ rate: number; cpu: number }> {
      const used = async () =>
        (await Promise.all(children.map((child) => child.usage()))).reduce((sum, { cpu }) => sum + cpu, 0);
      const before = await used();
      const results = await Promise.all(
        ports.slice(0, processes).map((port, index) => {
          const keys = keysOf(filled.keys, 'bot', index);
          return send(port, lookupRequests('bot', keys, { count, members: 1 }), (connections * 2) / processes);
        }),
      );
      const cpu = ((await used()) - before) / (count * processes);
      return { rate: results.reduce((sum, { rate }) => sum + rate, 0), cpu };
    }

    const rounds: { readonly one: { rate: number; cpu: number }; readonly two: { rate: number; cpu: number } }[] = [];
    for (let round = 0; round <= 3; round += 1) {
      const [one, two] = [await run(1), await run(2)];
      logProgress(`one process ${Math.round(one.rate)}/s, two ${Math.round(two.rate)}/s`);
      // The first round only warms up.
      if (round > 0) rounds.push({ one, two });
    }
    const rateRatio = median(rounds.map(({ one, two }) => two.rate / one.rate));
    const cpuRatio = median(rounds.map(({ one, two }) => two.cpu / one.cpu));
    return {
      goal:
        availableParallelism() >= coresForTwo
          ? atLeast('GET /bot, two processes: rate over one', 1.7, rateRatio)
          : atMost('GET /bot, two processes: CPU per request, of one', 1.15, cpuRatio),
      note: `Two processes on one database answered ${figure(rateRatio)} times as many lookups as one, with ${figure(cpuRatio)} times its CPU per request; the load generators share the ${availableParallelism()} cores.`,
    };
  } finally {
    for (const child of children) await child.stop();
  }
}
