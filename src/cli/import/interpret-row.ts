import { isSnowflake } from '@tallyhook/platform/snowflake';
import { UsageError } from '@tallyhook/platform/terminal/terminal';
import { balanceKey, type ImportItem, maxImportedCredits } from '../../features/imports/items.ts';
import type { Columns, KeyParts } from './columns.ts';
import { type Fields, readPath, readText, textOf } from './read-rows.ts';

/** How rows are understood. Times in ms since the epoch. */
export interface RowRules {
  readonly columns: Columns;
  /** `balances`: one row per member; `votes`: one row per vote. */
  readonly rowsAre: 'balances' | 'votes';
  /** Null if the field contains the id alone. */
  readonly readKey: ((key: string) => KeyParts | null) | null;
  /** Rows of other guilds are left out; null for no such check. */
  readonly guildId: string | null;
  /** The listing of rows that name none; null if votes are not imported. */
  readonly listing: string | null;
  /** Names of all listings of the community. */
  readonly listings: readonly string[];
  /** The time of votes of which only the number is known, if the row has no time. */
  readonly votesAt: number | null;
  /** Fractions are cut off, instead of rejected. */
  readonly round: boolean;
  /** The sign before a fraction; the other one divides thousands. Null if the file says neither. */
  readonly decimal: DecimalSign | null;
  readonly now: number;
}

export type DecimalSign = ',' | '.';

/** The items that a row credits. `skipped`: it is not about a member of this community, or about nothing. */
export type InterpretedRow =
  | { readonly type: 'items'; readonly items: readonly ImportItem[] }
  | { readonly type: 'skipped'; readonly reason: string }
  | { readonly type: 'rejected'; readonly reason: string };

/** Maximum number of votes in one row. */
const maxVotes = 10_000;
/** Discord did not exist before. */
const firstTime = Date.UTC(2015, 0, 1);
/** Tolerance for clocks that differ (ms). */
const futureMs = 300_000;
const wholeNumber = /^[+-]?\d{1,15}(\.0{1,6})?$/;
const decimalNumber = /^[+-]?\d{1,15}(\.\d{1,12})?$/;

const rejected = (reason: string): InterpretedRow => ({ type: 'rejected', reason });
const skipped = (reason: string): InterpretedRow => ({ type: 'skipped', reason });

/** Reads what a row credits. Takes time proportional to the length of the row. */
export function interpretRow(fields: Fields, rules: RowRules): InterpretedRow {
  const { columns, rowsAre } = rules;
  const user = readText(fields, columns.user);
  const parts = rules.readKey === null ? { userId: user, guildId: null } : rules.readKey(user);
  if (parts === null) return skipped('other keys');
  const { userId, guildId } = parts;
  if (guildId !== null && rules.guildId !== null && guildId !== rules.guildId) return skipped('other servers');
  if (!isSnowflake(userId) || userId.length < 15) {
    return rejected(userId === '' ? 'there is no Discord id' : 'this is not a Discord id');
  }
  const credits = columns.credits === undefined ? 0 : numberOf(readPath(fields, columns.credits), rules);
  if (typeof credits === 'string') return rejected(`the credits ${credits}`);
  if (credits > maxImportedCredits) return rejected(`more than ${maxImportedCredits.toLocaleString('en')} credits`);
  const number = rowsAre === 'votes' || columns.votes === undefined ? 0 : readPath(fields, columns.votes);
  const votes = numberOf(number, { decimal: rules.decimal, round: false });
  if (typeof votes === 'string') return rejected(`the number of votes ${votes}`);
  if (votes > maxVotes) return rejected(`more than ${maxVotes.toLocaleString('en')} votes`);
  // Balances alone have neither: what looks like them can be anything, such as the date of joining.
  const hasVotes = rowsAre === 'votes' || votes > 0;
  const at = columns.time === undefined || !hasVotes ? null : timeOf(readPath(fields, columns.time), rules.now);
  if (typeof at === 'string') return rejected(at);
  const named = columns.listing === undefined || !hasVotes ? '' : readText(fields, columns.listing);
  const listing = named === '' ? rules.listing : named;
  if (listing !== null && named !== '' && !rules.listings.includes(listing))
    return rejected('there is no such listing');
  if (hasVotes && listing === null) return rejected('there is no listing: use --listing');
  if (rowsAre === 'votes') {
    if (at === null || listing === null) return rejected('there is no time');
    const vote = { listing, at, isTotal: false };
    return { type: 'items', items: [{ userId, key: `vote ${listing} ${at}`, credits, vote }] };
  }
  const votedAt = at ?? rules.votesAt;
  if (votes > 0 && votedAt === null) return rejected('there is no time of the votes: use --votes-at');
  const items: ImportItem[] = credits > 0 ? [{ userId, key: balanceKey, credits, vote: null }] : [];
  for (let number = 1; number <= votes && votedAt !== null && listing !== null; number += 1) {
    // Without the time, which another export has differently: the number identifies a vote whose time is not known.
    items.push({
      userId,
      key: `total ${listing} ${number}`,
      credits: 0,
      vote: { listing, at: votedAt, isTotal: true },
    });
  }
  return items.length === 0 ? skipped('nothing to credit') : { type: 'items', items };
}

/** A number whose signs divide thousands in one part of the world, and begin a fraction in another. */
const ambiguousNumber = /^[+-]?\d{1,3}(?:(?:\.\d{3})+|(?:,\d{3})+)$/;

/** A whole number, 0 for none; or what is wrong with it. */
function numberOf(value: unknown, { round, decimal }: Pick<RowRules, 'round' | 'decimal'>): number | string {
  const written = textOf(value).replace(/^"(.*)"$/, '$1');
  if (written === '' && (value === undefined || value === null || value === '')) return 0;
  if (typeof value === 'string' && decimal === null && ambiguousNumber.test(written)) {
    if (written.includes(',')) {
      return 'can be 1234 or 1, as in 1,234: use --decimal "." for 1234, or --decimal "," with --round for 1';
    }
    if (!round) return 'can be 1234 or 1, as in 1.234: use --decimal "," for 1234, or --round for 1';
  }
  const text = decimal === null ? written : withPoint(written, decimal);
  if (!(round ? decimalNumber : wholeNumber).test(text)) {
    return decimalNumber.test(text) ? 'are not a whole number: --round cuts fractions off' : 'are not a number';
  }
  const number = Math.trunc(Number(text));
  return number < 0 ? 'are negative' : number;
}

/** Without signs between thousands, and with a point before the fraction; no number if the signs are elsewhere. */
function withPoint(text: string, decimal: DecimalSign): string {
  const divided = decimal === ',' ? /^[+-]?\d{1,3}(?:\.\d{3})+(?=,|$)/ : /^[+-]?\d{1,3}(?:,\d{3})+(?=\.|$)/;
  const whole = text.replace(divided, (digits) => digits.replaceAll(/[.,]/g, ''));
  if (decimal === '.') return whole;
  return whole.includes('.') ? '' : whole.replace(',', '.');
}

/** Ms since the epoch; null for none; or what is wrong with it. */
function timeOf(value: unknown, now: number): number | null | string {
  const text = textOf(value);
  if (text === '') return null;
  const at = /^\d{9,16}(\.\d+)?$/.test(text) ? unixTime(Number(text)) : isoTime(text);
  if (!Number.isFinite(at)) return 'this is not a time: use ISO 8601, or Unix seconds or milliseconds';
  if (at < firstTime) return 'the time is before Discord existed';
  return at > now + futureMs ? 'the time is in the future' : at;
}

/** Seconds up to the year 5138, otherwise milliseconds. */
function unixTime(number: number): number {
  return Math.trunc(number < 100_000_000_000 ? number * 1000 : number);
}

/** Without a time zone it is UTC. */
function isoTime(text: string): number {
  const [, date, time = '00:00', zone = 'Z'] =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?))? ?(Z|[+-]\d\d:?\d\d)?$/.exec(text) ?? [];
  return date === undefined ? Number.NaN : Date.parse(`${date}T${time}${zone}`);
}

/** The time of an option (ms since the epoch). @throws UsageError */
export function readTime(option: string, text: string, now: number): number {
  const at = timeOf(text, now);
  if (typeof at !== 'number') throw new UsageError(`${option}: ${at ?? 'this is not a time'}.`);
  return at;
}
