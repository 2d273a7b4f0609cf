import { BoundedMap } from '@tallyhook/platform/bounded-map';
import { day as dayMs, second } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import { memoizeOne } from '@tallyhook/platform/memoize';
import { createDraw } from '@tallyhook/platform/pictures/draw';
import type { DayVotes, VotesPerDay } from '../../core/store/standings/votes-per-day.ts';
import type { Texts } from '../../texts/texts.ts';
import type { DrawVotePicture, VotePicture, VotePictureRequest } from '../parts.ts';
import { canDrawWords, summarizeVotes, type VoteChartWords, voteChart } from './vote-chart.ts';

const maxPictures = 50;
/** Votes of listings are taken as they are for so long (ms): counting costs more than the command. */
const countedForMs = 5 * second;
const maxCounts = 500;
/** Days since the first votes, from which there is a picture. */
const minDays = 7;

/** Draws votes by the calendar of their community, once per language and scale. */
export function createVotePictures(options: {
  /** The time zone of the community of a listing (IANA name). */
  readonly timeZoneOf: (listing: string) => string;
  readonly votesPerDayIn: (timeZone: string) => VotesPerDay;
  readonly log: Log;
}): DrawVotePicture {
  const { timeZoneOf, votesPerDayIn, log } = options;
  const draw = createDraw({ log });
  const pictures = new BoundedMap<Promise<VotePicture | null>>(maxPictures);

  const counts = new BoundedMap<{ readonly days: Promise<readonly DayVotes[]>; readonly at: number }>(maxCounts);

  function countVotes(names: readonly string[], now: number): Promise<readonly DayVotes[]> {
    const [first = ''] = names;
    const timeZone = timeZoneOf(first);
    const key = [timeZone, ...names].join(' ');
    const known = counts.get(key);
    if (known !== undefined && Math.abs(now - known.at) < countedForMs) return known.days;
    const days = votesPerDayIn(timeZone)(names, now);
    counts.set(key, { days, at: now });
    // So that the next request tries again.
    days.catch(() => counts.delete(key));
    return days;
  }

  async function drawDays(
    days: readonly DayVotes[],
    { texts, scale }: Pick<VotePictureRequest, 'texts' | 'scale'>,
  ): Promise<VotePicture | null> {
    const content = await draw(() => voteChart({ days, words: wordsOf(texts), locale: texts.locale }), scale);
    if (content === null) return null;
    const { total, average, best } = summarizeVotes(days);
    const startOf = ({ day }: Pick<DayVotes, 'day'>) => day * dayMs;
    const [first = best, last = best] = [days.at(0), days.at(-1)];
    const description = describe(
      {
        first: startOf(first),
        last: startOf(last),
        best: startOf(best),
        total,
        average,
        maximum: best.votes,
      },
      texts,
    );
    const caption = canDrawWords(wordsOf(texts)) ? null : description;
    return { file: { name: 'votes.png', content, description }, caption };
  }

  return async ({ listings: names, now, ...look }) => {
    try {
      const days = await countVotes(names, now);
      const content = contentOf(days);
      if (content === null) return null;
      const key = `${look.texts.locale} ${look.scale} ${content}`;
      const known = pictures.get(key);
      if (known !== undefined) return await known;
      const drawing = drawDays(days, look);
      pictures.set(key, drawing);
      const picture = await drawing;
      // So that the next request tries again.
      if (picture === null) pictures.delete(key);
      return picture;
    } catch (error) {
      log.warn({ reason: messageOf(error) }, 'the votes per day could not be counted');
      return null;
    }
  };
}

/** A text that identifies the votes of a picture; null if there is no picture of them. */
const contentOf = memoizeOne((days: readonly DayVotes[]): string | null => {
  const firstVotes = days.findIndex(({ votes }) => votes > 0);
  if (firstVotes === -1 || days.length - firstVotes < minDays) return null;
  return days.map(({ day, votes }) => `${day} ${votes}`).join(' ');
});

export function wordsOf({ text }: Texts): VoteChartWords {
  return {
    title: text('votePicture.title'),
    since: text('votePicture.since', { date: '{date}' }),
    total: text('votePicture.total'),
    average: text('votePicture.average'),
    maximum: text('votePicture.maximum'),
    weekend: text('votePicture.weekend'),
  };
}

/** The alt text. `first`, `last` and `best` are days: their start in UTC (ms since the epoch). */
function describe(
  of: Readonly<Record<'first' | 'last' | 'best' | 'total' | 'average' | 'maximum', number>>,
  { text, locale }: Texts,
): string {
  const dates = new Intl.DateTimeFormat(locale, { timeZone: 'UTC', month: 'long', day: 'numeric' });
  const numbers = new Intl.NumberFormat(locale, { maximumFractionDigits: 2 });
  return text('votePicture.description', {
    first: dates.format(of.first),
    last: dates.format(of.last),
    best: dates.format(of.best),
    total: numbers.format(of.total),
    average: numbers.format(of.average),
    maximum: numbers.format(of.maximum),
  });
}
