import { day, hour, minute } from '@tallyhook/platform/durations';
import { collectingLog } from '@tallyhook/platform/testing/collecting-log';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { decodePng } from '@tallyhook/platform/testing/png';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../../config/load.ts';
import { createVotePictures } from '../../../src/features/pictures/vote-pictures.ts';
import { openStore } from '../../../src/features/store.ts';
import { textsIn } from '../../../src/texts/texts.ts';
import { newSqliteUrl } from '../../support/new-sqlite.ts';
import { castVote, installation } from '../../support/voting.ts';

const now = Date.UTC(2026, 0, 31, 12);
const english = textsIn('en-US');

async function setUp() {
  const url = newSqliteUrl();
  const clock = manualClock(now);
  const store = await openStore(url, clock, { thread: false });
  // One test has closed it before.
  onTestFinished(() => store.close().catch(() => {}));
  const { log, logged } = collectingLog();
  const whole = installation(url, {});
  const { listings } = loadConfig(whole.environment);
  const timeZone = (name: string) => listings.find((each) => each.name === name)?.timeZone ?? 'UTC';
  const drawVotePicture = createVotePictures({ timeZoneOf: timeZone, votesPerDayIn: store.votesPerDayIn, log });
  const draw = (changes: Partial<Parameters<typeof drawVotePicture>[0]> = {}) =>
    drawVotePicture({ listings: ['harbour'], texts: english, scale: 1, now: clock.now(), ...changes });
  const vote = (userId: string, at: number, listing: 'harbour' | 'pier' = 'harbour') =>
    castVote(store, whole, userId, at, { listing });
  return { clock, store, logged, draw, vote };
}

describe('pictures of votes', () => {
  it('have an alt text with period, sum, average and maximum', async () => {
    const { draw, vote } = await setUp();
    for (const userId of ['1', '2', '3']) await vote(userId, now - 6 * day);
    await vote('4', now);
    const picture = await draw();
    expect(picture?.file).toMatchObject({
      name: 'votes.png',
      description:
        'Bar chart of the votes per day from January 2 to January 31. Total: 4. Average per day: 0.13. Maximum: 3 on January 25.',
    });
    expect(decodePng(picture?.file.content ?? new Uint8Array()).width).toBe(900);
  });

  it('are the same object until votes, language or scale change', async () => {
    const { draw, vote, clock } = await setUp();
    await vote('1', now - 8 * day);
    const [first, again] = await Promise.all([draw(), draw()]);
    expect(first).not.toBe(null);
    expect(again).toBe(first);
    const [german, sharp] = await Promise.all([draw({ texts: textsIn('de') }), draw({ scale: 2 })]);
    expect(german?.file.description).toContain('2. Januar');
    expect(decodePng(sharp?.file.content ?? new Uint8Array()).width).toBe(1800);
    await clock.advance(minute);
    expect(await draw()).toBe(first);
    await vote('2', clock.now());
    expect(await draw()).toBe(first);
    await clock.advance(minute);
    const changed = await draw();
    expect(changed?.file.description).toContain('Total: 2.');
    await clock.advance(12 * hour);
    expect((await draw())?.file.description).toContain('to February 1. Total: 2.');
  });

  it('do not exist without votes for the listings', async () => {
    const { draw, vote, logged } = await setUp();
    await vote('1', now - 31 * day);
    await vote('2', now - 8 * day, 'pier');
    expect(await draw()).toBe(null);
    expect((await draw({ listings: ['pier'] }))?.file.description).toContain('Total: 1.');
    expect((await draw({ listings: ['pier', 'harbour'] }))?.file.description).toContain('Total: 1.');
    expect(logged).toEqual([]);
  });

  it('do not exist in the first week of votes, when the counts of the service would contradict them', async () => {
    const { draw, vote, clock } = await setUp();
    await vote('1', now - 5 * day);
    expect(await draw()).toBe(null);
    await clock.advance(day);
    expect(await draw()).not.toBe(null);
  });

  it('have a caption in languages whose script they cannot draw', async () => {
    const { draw, vote } = await setUp();
    await vote('1', now - 8 * day);
    for (const locale of ['ja', 'hi', 'ko', 'zh-CN'] as const) {
      const picture = await draw({ texts: textsIn(locale) });
      expect(picture?.caption).toBe(picture?.file.description);
    }
    for (const locale of ['en-US', 'ru', 'vi'] as const) {
      expect((await draw({ texts: textsIn(locale) }))?.caption).toBe(null);
    }
  });

  it('do not exist if the votes cannot be counted', async () => {
    const { draw, vote, store, logged } = await setUp();
    await vote('1', now);
    await store.close();
    expect(await draw()).toBe(null);
    expect(logged.map(({ msg }) => msg)).toEqual(['the votes per day could not be counted']);
  });
});
