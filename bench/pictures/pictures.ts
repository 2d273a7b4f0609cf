import type { Benchmark } from '../benchmark.ts';
import { startChild } from '../process/child.ts';
import { figure, type Table, within } from '../report.ts';
import { median, percentile } from '../samples.ts';

const atOnce = 50;

interface Burst {
  readonly tookMs: number;
  readonly delayMs: number;
}

const method = `The chart of the votes per day, drawn in a process of its own with different votes each time. The delay of the event
loop is what a delivery or a command would have to wait, measured by \`perf_hooks\` every millisecond.`;

/** The pictures of votes: how long they take, and what they cost the process that draws them. */
export const pictures: Benchmark = {
  name: 'pictures',
  method,
  against: ['@takumi-rs/core'],
  async measure(profile, logProgress) {
    const child = await startChild(new URL('drawing-process.ts', import.meta.url));
    try {
      const before = await child.usage();
      const [first = Number.NaN] = await child.ask<number[]>('inTurn', { count: 1, scale: 1 });
      const count = profile.quick ? 100 : 500;
      logProgress(`${count} pictures in turn`);
      const single = await child.ask<number[]>('inTurn', { count, scale: 1 });
      const sharp = await child.ask<number[]>('inTurn', { count: count / 5, scale: 2 });
      logProgress(`${atOnce} pictures at once`);
      const bursts: Burst[] = [];
      const idle: number[] = [];
      for (let round = 0; round < (profile.quick ? 5 : 15); round += 1) {
        const burst = await child.ask<Burst>('atOnce', { count: atOnce, scale: 1 });
        bursts.push(burst);
        idle.push(await child.ask<number>('idle', burst.tookMs));
      }
      const after = await child.usage();
      const delays = bursts.map(({ delayMs }) => delayMs);
      return {
        goals: [within(`delay of the event loop by ${atOnce} pictures at once`, 20, median(delays), 'ms')],
        tables: [times({ single, sharp, bursts })],
        notes: [
          `The event loop was late by up to ${figure(Math.min(...delays))} ms in the best and ${figure(Math.max(...delays))} ms in the worst of ${bursts.length} rounds; without pictures, by ${figure(median(idle))} ms in half of the rounds and by up to ${figure(Math.max(...idle))} ms.`,
          `The first picture took ${figure(first)} ms, with loading the package and the fonts.`,
          `Resident memory: ${megabytes(before.resident)} MB before the first picture, ${megabytes(after.resident)} MB after ${(1 + count * 1.2 + bursts.length * atOnce).toLocaleString('en-US')} different ones.`,
        ],
      };
    } finally {
      await child.stop();
    }
  },
};

function times(measured: {
  readonly single: readonly number[];
  readonly sharp: readonly number[];
  readonly bursts: readonly Burst[];
}): Table {
  const row = (name: string, samples: readonly number[]) => [
    name,
    figure(median(samples)),
    figure(percentile(samples, 0.99)),
  ];
  const all = measured.bursts.map(({ tookMs }) => tookMs);
  return {
    caption: 'Until the picture is there, ms.',
    columns: ['', 'p50', 'p99'],
    rows: [
      row('one at a time, 900 × 450', measured.single),
      row('one at a time, 1800 × 900', measured.sharp),
      row(`the last of ${atOnce} at once, 900 × 450`, all),
    ],
  };
}

function megabytes(bytes: number): string {
  return figure(bytes / 1_000_000);
}
