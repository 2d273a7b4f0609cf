import { execFile } from 'node:child_process';
import { open } from 'node:fs/promises';
import { promisify } from 'node:util';
import { day, hour, minute } from '@tallyhook/platform/durations';
import { createDraw, type Scale } from '@tallyhook/platform/pictures/draw';
import { fontFamily, isDrawable } from '@tallyhook/platform/pictures/fonts';
import { box, line, type PictureNode } from '@tallyhook/platform/pictures/picture';
import { collectingLog } from '@tallyhook/platform/testing/collecting-log';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { decodePng } from '@tallyhook/platform/testing/png';
import { locales } from '@tallyhook/platform/texts/locale';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../../config/load.ts';
import type { DayVotes } from '../../../src/core/store/standings/votes-per-day.ts';
import { type VoteChart, type VoteChartWords, voteChart } from '../../../src/features/pictures/vote-chart.ts';
import { createVotePictures, wordsOf } from '../../../src/features/pictures/vote-pictures.ts';
import { openStore } from '../../../src/features/store.ts';
import { textsIn } from '../../../src/texts/texts.ts';
import { newSqliteUrl } from '../../support/new-sqlite.ts';
import { castVote, installation } from '../../support/voting.ts';

const root = new URL('../../../', import.meta.url);
const words = {
  ...{ title: 'Votes', since: 'since {date}', total: 'total', average: 'average', maximum: 'maximum' },
  weekend: 'weekend',
};
const chart = voteChart({
  days: Array.from({ length: 30 }, (_, index) => ({ day: 20_000 + index, votes: index * 10 })),
  words,
  locale: 'en',
});

describe('drawing', () => {
  it('leaves threads to files while many pictures are drawn', async () => {
    const { log } = collectingLog();
    const draw = createDraw({ log });
    await draw(() => chart, 1);
    let done = 0;
    const pictures = Array.from({ length: 50 }, async () => {
      const picture = await draw(() => chart, 1);
      done += 1;
      return picture;
    });
    const file = await open(new URL('package.json', root));
    await file.close();
    expect(done).toBeLessThan(10);
    const drawn = await Promise.all(pictures);
    const [first] = drawn;
    expect(decodePng(first ?? new Uint8Array()).width).toBe(900);
    expect(drawn).toEqual(Array(50).fill(first));
  });

  it('goes on after a picture that cannot be drawn', async () => {
    const { log, logged } = collectingLog();
    const draw = createDraw({ log });
    const impossible = { width: 10, height: 10, root: { ...box({ width: Number.NaN }), children: [] } };
    expect(await Promise.all(Array.from({ length: 5 }, () => draw(() => impossible, 1)))).toEqual(Array(5).fill(null));
    expect(logged.map(({ msg }) => msg)).toEqual(Array(5).fill('a picture could not be drawn'));
    expect(await draw(() => chart, 1)).not.toBe(null);
  });

  it('does nothing without its package, and logs one warning', async () => {
    const hooks = `import { registerHooks } from 'node:module';
      registerHooks({ resolve(specifier, context, next) {
        if (specifier.startsWith('@takumi-rs/')) throw new Error('Cannot find package ' + specifier);
        return next(specifier, context);
      } });`;
    const program = `import { createDraw } from '@tallyhook/platform/pictures/draw';
      const warnings = [];
      const draw = createDraw({ log: { warn: (fields, message) => warnings.push({ ...fields, message }) } });
      const picture = { width: 10, height: 10, root: { type: 'container', style: {}, children: [] } };
      const drawn = await Promise.all([draw(() => picture, 1), draw(() => picture, 1)]);
      console.log(JSON.stringify({ drawn: [...drawn, await draw(() => picture, 2)], warnings }));`;
    const args = [
      '--import',
      `data:text/javascript,${encodeURIComponent(hooks)}`,
      '--input-type=module',
      '-e',
      program,
    ];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root });
    expect(JSON.parse(stdout)).toEqual({
      drawn: [null, null, null],
      warnings: [
        {
          message: 'pictures cannot be drawn; replies are sent without them',
          reason: 'Cannot find package @takumi-rs/core',
          hint: expect.stringContaining('@takumi-rs/core'),
        },
      ],
    });
  });
});

/** Friday, 23 October 2026. */
const first = Date.UTC(2026, 9, 23) / day;
const daysOf = (votesOn: (index: number) => number): DayVotes[] =>
  Array.from({ length: 30 }, (_, index) => ({ day: first + index, votes: votesOn(index) }));

const english: VoteChartWords = {
  ...{ title: 'Votes per day', since: 'since {date}', total: '30 days', average: 'average', maximum: 'maximum' },
  weekend: 'weekend',
};
const chartOf = (changes: Partial<VoteChart> = {}) =>
  voteChart({ days: daysOf(() => 100), words: english, locale: 'en-US', ...changes });

const { log, logged } = collectingLog([]);
const draw = createDraw({ log });
async function drawn(chart: ReturnType<typeof voteChart>, scale: Scale = 1) {
  const png = await draw(() => chart, scale);
  if (png === null) throw new Error(JSON.stringify(logged));
  return decodePng(png);
}

function textsOf(node: PictureNode): string[] {
  if (node.type === 'text') return [node.text];
  return node.type === 'container' ? node.children.flatMap(textsOf) : [];
}

/** How many pixels of a row, from its start to its end, have the color. */
function countInRow({ width, colorAt }: ReturnType<typeof decodePng>, y: number, color: string): number {
  return Array.from({ length: width }, (_, x) => colorAt(x, y)).filter((each) => each === color).length;
}

const background = '#1e1f22';
const weekendColor = '#57f287';
/** In the row of the marks below the axis, and in the rows of the bars. */
const [markRow, barRow] = [394, 350];

describe('the chart of votes', () => {
  it('says since when there are votes, if that is not the first day', () => {
    expect(textsOf(chartOf().root)).toContain('Oct 23 – Nov 21');
    const since = textsOf(chartOf({ days: daysOf((index) => (index < 20 ? 0 : 3)) }).root);
    expect(since).toContain('since Nov 12');
    expect(since).not.toContain('Oct 23 – Nov 21');
  });

  it('shows weekends in another color, and with a mark where no color is needed to see them', async () => {
    const image = await drawn(chartOf());
    const bars = Array.from({ length: 900 }, (_, x) => image.colorAt(x, barRow)).filter((each) => each !== background);
    const green = bars.filter((color) => Number.parseInt(color.slice(3, 5), 16) > 0xa0).length;
    const blue = bars.filter((color) => Number.parseInt(color.slice(5, 7), 16) > 0xa0).length;
    // 9 of the 30 days: 23 October is a Friday.
    expect(green / blue).toBeCloseTo(9 / 21, 1);
    const marks = Array.from({ length: 900 }, (_, x) => image.colorAt(x, markRow) === weekendColor);
    expect(marks.filter((isMark, x) => isMark && !marks[x - 1])).toHaveLength(9);
    expect(textsOf(chartOf().root)).toContain('weekend');
  });

  it('draws bars in proportion to the votes', async () => {
    const image = await drawn(chartOf({ days: daysOf((index) => (index < 15 ? 100 : 50)) }));
    const barsAt = (y: number) =>
      Array.from({ length: 900 }, (_, x) => image.colorAt(x, y)).filter(
        (each) => Math.max(...[1, 3, 5].map((at) => Number.parseInt(each.slice(at, at + 2), 16))) > 0x80,
      ).length;
    // 248 pixels are 100 votes, from 140 to 388.
    expect(barsAt(162) / barsAt(296)).toBeCloseTo(0.5, 1);
  });

  it('shows sum, average, maximum and round steps', () => {
    const days = daysOf((index) => (index === 3 ? 204 : 100));
    const texts = textsOf(chartOf({ days }).root);
    expect(texts).toEqual(
      expect.arrayContaining(['Votes per day', 'Oct 23 – Nov 21', '3,104', '103', '204', '0', '100', '200', '300']),
    );
    expect(texts.filter((text) => text === '103')).toHaveLength(2);
    expect(texts.filter((text) => text === '204')).toHaveLength(2);
  });

  it('can be drawn without votes, with votes on a single day, and with millions', async () => {
    const images = await Promise.all(
      [
        () => 0,
        (index: number) => (index === 29 ? 1 : 0),
        (index: number) => (index === 0 ? 7_777_777 : 1_000_000),
      ].map((votesOn) => drawn(chartOf({ days: daysOf(votesOn) }))),
    );
    const bars = images.map((image) =>
      [0.35, 0.5, 0.9].map((part) => countInRow(image, Math.round(388 - 248 * part), background)),
    );
    expect(bars[0]?.every((free) => free === 900)).toBe(true);
    // The bar of the last day alone.
    expect(bars[1]?.every((free) => free < 900 && free > 850)).toBe(true);
    expect(textsOf(chartOf({ days: daysOf((index) => (index === 29 ? 1 : 0)) }).root)).toContain('0.03');
    expect(textsOf(chartOf({ days: daysOf(() => 1_000_000) }).root)).toContain('30,000,000');
  });

  it.each([...locales, 'th', 'zh-TW', 'ar', 'he'])('has only characters that its font can draw in %s', (locale) => {
    const words = locales.find((each) => each === locale);
    const texts = words === undefined ? english : wordsOf(textsIn(words));
    const year = Array.from({ length: 12 }, (_, month) =>
      Array.from({ length: 30 }, (_, index) => ({ day: Date.UTC(2026, month) / day + index, votes: index * 54_321 })),
    );
    for (const days of year) {
      const drawnTexts = textsOf(voteChart({ days, words: texts, locale }).root);
      expect(drawnTexts.length).toBeGreaterThan(15);
      expect(drawnTexts.filter((text) => !isDrawable(text))).toEqual([]);
    }
  });

  it('has dates and figures, and signs in place of words that its font cannot draw', () => {
    const japanese = {
      ...english,
      ...{ title: '1日の投票数', total: '30日間', average: '平均', maximum: '最大', weekend: '週末' },
    };
    expect(textsOf(chartOf({ words: japanese, locale: 'ja' }).root)).toEqual(
      expect.arrayContaining(['10/23 – 11/21', 'Σ', 'Ø', '↑', '3,000']),
    );
  });
});

describe('the font of pictures', () => {
  /** A picture of a single character. */
  const pictureOf = async (character: string): Promise<string> => {
    const text = line(character, { fontSize: 24, fontFamily, color: '#000000' });
    const root = { ...box({ width: 40, height: 40, display: 'flex', backgroundColor: '#ffffff' }), children: [text] };
    const png = await draw(() => ({ width: 40, height: 40, root }), 1);
    return Buffer.from(png ?? []).toString('base64');
  };

  it('has all characters that count as drawable', async () => {
    const missing = await pictureOf('\u65E5');
    expect(await pictureOf('\u{10FFFD}')).toBe(missing);
    expect(await pictureOf('A')).not.toBe(missing);
    const characters = Array.from({ length: 0x2_30_00 - 0x20 }, (_, index) => String.fromCodePoint(0x20 + index));
    const drawable = characters.filter((character) => !/\p{Cs}/u.test(character) && isDrawable(character));
    expect(drawable.length).toBeGreaterThan(500);
    const boxes = await Promise.all(
      drawable.map(async (character) => ((await pictureOf(character)) === missing ? [character] : [])),
    );
    expect(boxes.flat()).toEqual([]);
  }, 60_000);
});

const now = Date.UTC(2026, 0, 31, 12);
const en = textsIn('en-US');

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
    drawVotePicture({ listings: ['harbour'], texts: en, scale: 1, now: clock.now(), ...changes });
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
