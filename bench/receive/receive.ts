import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Benchmark } from '../benchmark.ts';
import { startGenerator } from '../load/load.ts';
import { atLeast, atMost, figure, type Goal, type Report, type Table } from '../report.ts';
import { startBlackhole } from './blackhole.ts';
import { type ContenderResult, compare } from './compare.ts';
import { type ContenderName, contenders } from './contender.ts';
import { type RunningContender, startContender } from './contender-runner.ts';
import { measureSingleVote } from './single.ts';
import { measureSlowDisk } from './slow-disk.ts';
import { measureSoak } from './soak.ts';
import { verifyDurability } from './verify-durability.ts';

/** The cost of a vote from the first byte to the 200, compared with alternatives. */
export const receive: Benchmark = {
  name: 'receive',
  against: [
    'express',
    'fastify',
    'hono',
    '@hono/node-server',
    '@top-gg/sdk',
    '@octokit/webhooks',
    'better-sqlite3',
    '@keyv/sqlite',
  ],
  async measure(profile, logProgress) {
    const schedule = profile.quick
      ? { rounds: 3, seconds: 0.5, alsoHalf: true }
      : { rounds: 5, seconds: 2, alsoHalf: true };
    const directory = join(profile.directory, 'receive');
    rmSync(directory, { recursive: true, force: true });
    const blackhole = await startBlackhole();
    const generator = await startGenerator();
    const environment = { generator, directory, silentDiscord: blackhole.url };
    const running: RunningContender[] = [];
    try {
      for (const contender of contenders) running.push(await startContender(contender, environment));
      const results = await compare(running, schedule, logProgress);
      const tallyhook = resultOf(results, 'tallyhook');
      const single = await measureSingleVote(tallyhook.contender, directory, profile.quick ? 4 : 20);
      const kept = verifyDurability(tallyhook.contender);
      for (const each of running.splice(0)) await each.stop();

      const slow = await measureSlowDisk(environment, schedule, logProgress);
      const soak = profile.soak ? await measureSoak(environment, logProgress) : null;
      return {
        goals: [...goals(results), single, ...slow.goals, ...(soak?.goals ?? [])],
        tables: [comparison(results), ...(soak?.tables ?? [])],
        notes: [
          `All ${kept.toLocaleString('en-US')} votes that tallyhook acknowledged were found in its database: row, entry, effect, and balances equal to the sums of the entries.`,
          ...slow.notes,
          ...(soak?.notes ?? []),
        ],
      } satisfies Report;
    } finally {
      for (const each of running) await each.stop();
      await generator.stop();
      blackhole.stop();
      rmSync(directory, { recursive: true, force: true });
    }
  },
};

function resultOf(results: readonly ContenderResult[], name: ContenderName): ContenderResult {
  const found = results.find(({ contender }) => contender.name === name);
  if (found === undefined) throw new Error(`${name} did not take part.`);
  return found;
}

function goals(results: readonly ContenderResult[]): Goal[] {
  const tallyhook = resultOf(results, 'tallyhook');
  const express = resultOf(results, 'express');
  const peers = ['fastify', 'hono', 'top-gg', 'octokit'] as const;
  return [
    atLeast('rate over the Express sample without storage', 1.5, tallyhook.over('express')),
    atLeast('rate over bare node:http without storage', 0.5, tallyhook.over('bare-http')),
    atLeast('rate over a transaction per vote', 5, tallyhook.over('express-sqlite')),
    ...peers.map((name) => atLeast(`rate over ${name}`, 1, tallyhook.over(name))),
    atMost("p99 at saturation, of the Express sample's", 2.5, tallyhook.saturated.p99 / express.saturated.p99),
    atMost(
      "p99 at half the Express sample's load, of the Express sample's",
      1,
      (tallyhook.half?.p99 ?? Number.POSITIVE_INFINITY) / (express.half?.p99 ?? Number.NaN),
    ),
    atMost("the sender's CPU per request, of the leanest server's", 1, senderOver(results)),
  ];
}

/** CPU of the load generator divided by that of the leanest server: above 1 the generator would be the bottleneck. */
function senderOver(results: readonly ContenderResult[]): number {
  const ratios = results.map(({ saturated }) => saturated.senderCpu / saturated.cpu);
  return Math.max(...ratios);
}

function comparison(results: readonly ContenderResult[]): Table {
  return {
    caption:
      '64 connections, distinct signed votes of about 190 bytes, one process each. Times in ms; CPU in µs per request; "half" is half of the Express sample\'s rate.',
    columns: ['', 'req/s', '× Express', '× bare', 'p50', 'p99', 'p50 half', 'p99 half', 'CPU', 'MB', 'durable'],
    rows: results.map((result) => {
      const { contender, saturated, half, resident } = result;
      return [
        contender.title,
        figure(saturated.rate),
        result.over('express').toFixed(2),
        result.over('bare-http').toFixed(2),
        figure(saturated.p50),
        figure(saturated.p99),
        half === null ? '–' : figure(half.p50),
        half === null ? '–' : figure(half.p99),
        figure(saturated.cpu),
        figure(resident),
        contender.isDurable ? 'yes' : 'no',
      ];
    }),
  };
}
