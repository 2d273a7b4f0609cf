import { expect, it } from 'vitest';
import { compare } from '../../bench/receive/compare.ts';
import { type ContenderName, contenderNamed } from '../../bench/receive/contender.ts';
import type { Measurement, RunOptions } from '../../bench/receive/contender-runner.ts';

/** A contender that warms up with the first rate and then has these, one per round. Its p99 is 10 ms. */
function scripted(name: ContenderName, rates: readonly number[]) {
  const sent: { count: number; options: RunOptions }[] = [];
  const warmUps = 3;
  const running = {
    ...contenderNamed(name),
    directory: '',
    acknowledged: () => 0,
    async run(count: number, options: RunOptions = {}): Promise<Measurement> {
      const round = sent.filter(({ options: { rate } }) => rate === undefined).length - warmUps;
      sent.push({ count, options });
      const cpu = { cpu: 20, mainCpu: 15, workerCpu: 5, otherCpu: 0, senderCpu: 5, otherPrograms: 0 };
      return { accepted: count, rate: rates[Math.max(0, round)] ?? Number.NaN, p50: 1, p99: 10, ...cpu };
    },
    memory: async () => ({ resident: 1, heapUsed: 1 }),
    stop: async () => {},
  };
  return { running, sent };
}

const schedule = { rounds: 3, seconds: 2, kinds: ['own'] } as const;

it('ratios are those of the same round', async () => {
  const express = scripted('express', [1_000, 2_000, 4_000]);
  const tallyhook = scripted('tallyhook', [1_500, 3_200, 5_600]);
  const results = await compare([express.running, tallyhook.running], schedule, () => {});
  // 1.5, 1.6 and 1.4; the medians of the rates would give 1.6.
  expect(results[1]?.over('express', 'own', 'rate')).toBe(1.5);
  expect(results[1]?.of('own')?.rate).toBe(3_200);
  expect(results[1]?.of('half')).toBe(null);
});

it('half load is half of the Express sample’s rate in the same round, and infinitely slow for who does not sustain it', async () => {
  const express = scripted('express', [1_000, 1_200, 1_400]);
  const slow = scripted('express-sqlite', [400, 400, 400]);
  const results = await compare([express.running, slow.running], { ...schedule, kinds: ['own', 'half'] }, () => {});
  const half = express.sent.filter(({ options }) => options.rate !== undefined);
  expect(half).toEqual([500, 600, 700].map((rate) => ({ count: rate * schedule.seconds, options: { rate } })));
  expect(slow.sent.some(({ options }) => options.rate !== undefined)).toBe(false);
  expect(results[0]?.over('express', 'half', 'p99')).toBe(1);
  expect(results[1]?.over('express', 'half', 'p99')).toBe(Number.POSITIVE_INFINITY);
});

it('each round begins with another contender, and a warning names what others use', async () => {
  const progress: string[] = [];
  const contenders = [scripted('express', [1_000]), scripted('hono', [1_000])];
  const busy = contenders.map(({ running }) => ({
    ...running,
    run: async (count: number) => ({ ...(await running.run(count)), otherPrograms: 0.5 }),
  }));
  await compare(busy, { ...schedule, rounds: 2 }, (line) => progress.push(line));
  const runs = progress.filter((line) => line.startsWith('round'));
  expect(runs.map((line) => /own: (\w+)/.exec(line)?.[1])).toEqual(['express', 'hono', 'hono', 'express']);
  expect(runs[0]).toContain('other programs used 0.50 cores');
});
