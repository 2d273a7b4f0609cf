import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Benchmark } from '../benchmark.ts';
import { startGenerator } from '../load/load.ts';
import { atLeast, atMost, figure, type Goal, type Report, type Table } from '../report.ts';
import { compare, type Standing } from './compare.ts';
import { type ContenderName, contenders } from './contender.ts';
import { proveKept } from './kept.ts';
import { measureMillion } from './million.ts';
import { type Running, startContender } from './running.ts';
import { startSilence } from './silence.ts';
import { measureSingle } from './single.ts';
import { measureSlowDisk } from './slow-disk.ts';

/** What a vote costs from the first byte to the 200, beside what people would use instead. */
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
  async measure(how, tell) {
    const schedule = how.quick
      ? { rounds: 3, seconds: 0.5, alsoHalf: true }
      : { rounds: 5, seconds: 2, alsoHalf: true };
    const directory = join(how.directory, 'receive');
    rmSync(directory, { recursive: true, force: true });
    const silence = await startSilence();
    const generator = await startGenerator();
    const surroundings = { generator, directory, silentDiscord: silence.url };
    const running: Running[] = [];
    try {
      for (const contender of contenders) running.push(await startContender(contender, surroundings));
      const standings = await compare(running, schedule, tell);
      const tallyhook = standingOf(standings, 'tallyhook');
      const single = await measureSingle(tallyhook.contender, directory, how.quick ? 4 : 20);
      const kept = proveKept(tallyhook.contender);
      for (const each of running.splice(0)) await each.stop();

      const slow = await measureSlowDisk(surroundings, schedule, tell);
      const million = how.million ? await measureMillion(surroundings, tell) : null;
      return {
        goals: [...goals(standings), single, ...slow.goals, ...(million?.goals ?? [])],
        tables: [comparison(standings), ...(million?.tables ?? [])],
        notes: [
          `All ${kept.toLocaleString('en-US')} votes that tallyhook acknowledged were found in its database: row, entry, effect, and balances equal to the sums of the entries.`,
          ...slow.notes,
          ...(million?.notes ?? []),
        ],
      } satisfies Report;
    } finally {
      for (const each of running) await each.stop();
      await generator.stop();
      silence.stop();
      rmSync(directory, { recursive: true, force: true });
    }
  },
};

function standingOf(standings: readonly Standing[], name: ContenderName): Standing {
  const found = standings.find(({ contender }) => contender.name === name);
  if (found === undefined) throw new Error(`${name} did not take part.`);
  return found;
}

function goals(standings: readonly Standing[]): Goal[] {
  const own = standingOf(standings, 'tallyhook');
  const express = standingOf(standings, 'express');
  const peers = ['fastify', 'hono', 'top-gg', 'octokit'] as const;
  return [
    atLeast('rate over the Express sample without storage', 1.5, own.over('express')),
    atLeast('rate over bare node:http without storage', 0.5, own.over('bare-http')),
    atLeast('rate over a transaction per vote', 5, own.over('express-sqlite')),
    ...peers.map((name) => atLeast(`rate over ${name}`, 1, own.over(name))),
    atMost("p99 at saturation, of the Express sample's", 2.5, own.saturated.p99 / express.saturated.p99),
    atMost(
      "p99 at half the Express sample's load, of the Express sample's",
      1,
      (own.half?.p99 ?? Number.POSITIVE_INFINITY) / (express.half?.p99 ?? Number.NaN),
    ),
    atMost("the sender's CPU per request, of the leanest server's", 1, senderOver(standings)),
  ];
}

/** What the sender spends of the CPU, over what the leanest server does: above 1 it would be the sender that is measured. */
function senderOver(standings: readonly Standing[]): number {
  const ratios = standings.map(({ saturated }) => saturated.senderCpu / saturated.cpu);
  return Math.max(...ratios);
}

function comparison(standings: readonly Standing[]): Table {
  return {
    caption:
      '64 connections, distinct signed votes of about 190 bytes, one process each. Times in ms; CPU in µs per request; "half" is half of the Express sample\'s rate.',
    columns: ['', 'req/s', '× Express', '× bare', 'p50', 'p99', 'p50 half', 'p99 half', 'CPU', 'MB', 'durable'],
    rows: standings.map((standing) => {
      const { contender, saturated, half, resident } = standing;
      return [
        contender.title,
        figure(saturated.rate),
        standing.over('express').toFixed(2),
        standing.over('bare-http').toFixed(2),
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
