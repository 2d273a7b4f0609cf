import { day } from '@tallyhook/platform/durations';
import { createDraw, type Scale } from '@tallyhook/platform/pictures/draw';
import { fontFamily, isDrawable } from '@tallyhook/platform/pictures/fonts';
import { box, line, type PictureNode } from '@tallyhook/platform/pictures/picture';
import { collectingLog } from '@tallyhook/platform/testing/collecting-log';
import { decodePng } from '@tallyhook/platform/testing/png';
import { locales } from '@tallyhook/platform/texts/locale';
import { describe, expect, it } from 'vitest';
import type { DayVotes } from '../../../src/core/store/standings/votes-per-day.ts';
import { type VoteChart, type VoteChartWords, voteChart } from '../../../src/features/pictures/vote-chart.ts';
import { wordsOf } from '../../../src/features/pictures/vote-pictures.ts';
import { textsIn } from '../../../src/texts/texts.ts';

/** Friday, 23 October 2026. */
const first = Date.UTC(2026, 9, 23) / day;
const daysOf = (votesOn: (index: number) => number): DayVotes[] =>
  Array.from({ length: 30 }, (_, index) => ({ day: first + index, votes: votesOn(index) }));

const english: VoteChartWords = {
  title: 'Votes per day',
  since: 'since {date}',
  total: '30 days',
  average: 'average',
  maximum: 'maximum',
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

  it('is an image of 900 by 450 pixels, or twice as sharp', async () => {
    const [normal, sharp] = [await drawn(chartOf()), await drawn(chartOf(), 2)];
    expect([normal.width, normal.height]).toEqual([900, 450]);
    expect([sharp.width, sharp.height]).toEqual([1800, 900]);
    expect(normal.colorAt(2, 2)).toBe(background);
    expect(countInRow(sharp, markRow * 2, weekendColor)).toBeGreaterThan(
      1.8 * countInRow(normal, markRow, weekendColor),
    );
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
      title: '1日の投票数',
      total: '30日間',
      average: '平均',
      maximum: '最大',
      weekend: '週末',
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
