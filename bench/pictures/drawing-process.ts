/** The process that draws pictures: nothing else runs on its event loop. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { createLog } from '@tallyhook/platform/log';
import { createDraw, type Scale } from '@tallyhook/platform/pictures/draw';
import { voteChart } from '../../src/features/pictures/vote-chart.ts';
import { wordsOf } from '../../src/features/pictures/vote-pictures.ts';
import { textsIn } from '../../src/texts/texts.ts';
import { serveParent } from '../process/child-server.ts';

const draw = createDraw({ log: createLog({ level: 'error', secrets: [] }) });
const texts = textsIn('en-US');
const { locale } = texts;
const days = 30;
const resolutionMs = 1;
let drawn = 0;

/** Draws a picture of votes that were not drawn before. Returns the time until it is there (ms). */
async function drawNew(scale: Scale): Promise<number> {
  drawn += 1;
  const votes = Array.from({ length: days }, (_, day) => ({
    day: 20_000 + day,
    votes: (day * 37 + drawn * 101) % 997,
  }));
  const startedAt = performance.now();
  const picture = await draw(() => voteChart({ days: votes, words: wordsOf(texts), locale }), scale);
  if (picture === null || picture.length < 5_000) throw new Error('The picture was not drawn.');
  return performance.now() - startedAt;
}

/** The longest time that the event loop was late while `run` was active (ms). */
async function longestDelay(run: () => Promise<unknown>): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  delay.enable();
  // The first interval of the timer begins in another turn.
  await wait(5);
  delay.reset();
  await run();
  delay.disable();
  return Math.max(0, delay.max / 1e6 - resolutionMs);
}

serveParent({
  /** Times of pictures that are drawn one after the other (ms). */
  async inTurn({ count, scale }: { count: number; scale: Scale }) {
    const times = [];
    for (let index = 0; index < count; index += 1) times.push(await drawNew(scale));
    return times;
  },
  /** Different pictures at the same time: until the last one is there, and the delay of the event loop (ms). */
  async atOnce({ count, scale }: { count: number; scale: Scale }) {
    const startedAt = performance.now();
    const delay = await longestDelay(() => Promise.all(Array.from({ length: count }, () => drawNew(scale))));
    return { tookMs: performance.now() - startedAt, delayMs: delay };
  },
  /** The delay of the event loop for as long, without pictures (ms). */
  idle: (ms: number) => longestDelay(() => wait(ms)),
});
