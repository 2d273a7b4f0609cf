import { TallyhookError } from '@tallyhook/platform/errors';
import { isSnowflake } from '@tallyhook/platform/snowflake';
import { UsageError, withSuggestion } from '@tallyhook/platform/terminal/terminal';
import { balanceKey, type ImportItem, maxImportedCredits } from '../../features/imports/items.ts';
import { type Fields, type FileOptions, fieldPaths, readPath, readRows, readText, textOf } from './read-rows.ts';

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

/** A number without signs between thousands, and with a point before the fraction; none if the signs are elsewhere. */
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

/** The time of an ISO 8601 text (ms since the epoch), in UTC if it names no zone. */
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

const importedFields = ['user', 'credits', 'votes', 'time', 'listing'] as const;
export type ImportedField = (typeof importedFields)[number];

/** The name of the file's field for each imported one; see {@link readPath}. */
export type Columns = { readonly user: string } & Partial<Readonly<Record<ImportedField, string>>>;

/** Usual names in other programs, best first, in lower case and without signs. */
const usualNames: Readonly<Record<ImportedField, readonly string[]>> = {
  user: [
    // Before the ID of the user: in the history of top.gg, that one is the site's own.
    ...['platformid', 'userid', 'discordid', 'discorduserid', 'memberid', 'user', 'member', 'voter', 'voterid'],
    ...['uid', 'id', 'key'],
  ],
  credits: [
    ...['credits', 'points', 'balance', 'coins', 'tokens', 'money', 'cash', 'wallet', 'bal', 'currency', 'amount'],
    ...['score', 'value', 'data'],
  ],
  votes: ['votes', 'votecount', 'totalvotes', 'numvotes', 'voted'],
  time: ['votedat', 'votetime', 'lastvote', 'lastvoted', 'lastvotedat', 'timestamp', 'time', 'date', 'createdat', 'at'],
  listing: ['listing', 'site'],
};

const discordId = /^\d{15,20}$/;

/** @throws UsageError @param text `user=discord_id,credits=points` */
export function parseMapping(text: string | undefined): Partial<Record<ImportedField, string>> {
  const mapping: Partial<Record<ImportedField, string>> = {};
  for (const part of (text ?? '').split(',').filter((each) => each !== '')) {
    const at = part.indexOf('=');
    const name = part.slice(0, Math.max(0, at)).trim();
    const field = importedFields.find((each) => each === name);
    if (field === undefined) {
      const message = `--map has "${part}"; it needs name=column, with ${importedFields.join(', ')} as names.`;
      throw new UsageError(withSuggestion(message, name, importedFields));
    }
    mapping[field] = part.slice(at + 1).trim();
  }
  return mapping;
}

/** Finds which fields of a file are what, from its first rows. @throws UsageError if they show no members */
export function findColumns(
  rows: readonly Fields[],
  mapping: Partial<Record<ImportedField, string>>,
  hasTemplate: boolean,
): Columns {
  const paths = [...new Set(rows.flatMap((row) => fieldPaths(row)))];
  for (const [field, path] of Object.entries(mapping)) {
    if (rows.some((row) => readPath(row, path) !== undefined)) continue;
    throw new UsageError(withSuggestion(`--map: no row has "${path}" (${field}). ${describe(paths)}`, path, paths));
  }
  const columns: Partial<Record<ImportedField, string>> = {};
  const user = mapping.user ?? findUser(rows, paths, hasTemplate);
  const taken = new Set([user, ...Object.values(mapping)]);
  for (const field of ['credits', 'votes', 'time', 'listing'] as const) {
    const path =
      mapping[field] ??
      byName(
        paths.filter((each) => !taken.has(each)),
        field,
      );
    if (path === undefined) continue;
    columns[field] = path;
    taken.add(path);
  }
  return { ...columns, user };
}

function findUser(rows: readonly Fields[], paths: readonly string[], hasTemplate: boolean): string {
  const hasIds = (path: string) => {
    const values = rows.map((row) => readText(row, path)).filter((text) => text !== '');
    return values.length > 0 && values.filter((text) => discordId.test(text)).length * 2 > values.length;
  };
  const named = byName(hasTemplate ? paths : paths.filter(hasIds), 'user');
  if (named !== undefined) return named;
  const [first, ...others] = paths.filter(hasIds);
  if (first !== undefined && others.length === 0) return first;
  const keys = rows.flatMap((row) => suggestTemplate(readText(row, byName(paths, 'user') ?? '')) ?? []);
  if (keys.length > 0) {
    const shown = [...new Set(keys)].slice(0, 5).join(', ');
    throw new UsageError(`Ids are a part of keys: ${shown}. Choose which keys to import, as in --key '${keys[0]}'.`);
  }
  const lost = paths.flatMap((path) => rows.map((row) => readText(row, path)).filter(isWrittenAsNumber));
  if (lost.length > 0) throw lostDigitsError([...new Set(lost)].slice(0, 3));
  throw new UsageError(`No field with Discord ids was found. ${describe(paths)} Use --map user=NAME, or --path.`);
}

function byName(paths: readonly string[], field: ImportedField): string | undefined {
  const names = paths.map((path) => ({
    path,
    name: (path.split('.').at(-1) ?? '').toLowerCase().replace(/[^a-z]/g, ''),
  }));
  for (const usual of usualNames[field]) {
    const found = names.find(({ name }) => name === usual);
    if (found !== undefined) return found.path;
  }
  return undefined;
}

function describe(paths: readonly string[]): string {
  return `The file has: ${paths.slice(0, 12).join(', ')}.`;
}

interface KeyParts {
  readonly userId: string;
  /** Null if the template has no guild. */
  readonly guildId: string | null;
}

const maxIdLength = 20;
const ids = /\d{15,20}/g;

/** Reads keys such as `points_{guild}_{user}`; null for another form. @throws UsageError for an invalid template */
export function createKeyReader(template: string): (key: string) => KeyParts | null {
  const names = [...template.matchAll(/\{(user|guild)\}/g)].map(([, name]) => name);
  if (
    names.filter((name) => name === 'user').length !== 1 ||
    names.length > 2 ||
    new Set(names).size !== names.length
  ) {
    throw new UsageError(`--key needs {user} once, and may have {guild}, as in points_{guild}_{user}: "${template}".`);
  }
  const texts = template.split(/\{(?:user|guild)\}/);
  return (key) => {
    const found = readIds(key, texts);
    if (found === null) return null;
    const userId = found[names.indexOf('user')] ?? '';
    return { userId, guildId: names.includes('guild') ? (found[names.indexOf('guild')] ?? null) : null };
  };
}

/** The ids between these texts; null if the key has another form. */
function readIds(key: string, texts: readonly string[]): readonly string[] | null {
  const found: string[] = [];
  let position = 0;
  for (const [index, text] of texts.entries()) {
    if (!key.startsWith(text, position)) return null;
    position += text.length;
    if (index === texts.length - 1) break;
    const start = position;
    while (position - start < maxIdLength && /\d/.test(key[position] ?? '')) position += 1;
    if (position === start) return null;
    found.push(key.slice(start, position));
  }
  return position === key.length ? found : null;
}

/** A template of a key that contains ids: the last one is the user, one before it the guild. Null without ids. */
export function suggestTemplate(key: string): string | null {
  const found = [...key.matchAll(ids)];
  if (found.length === 0 || found.length > 2 || found[0]?.[0] === key) return null;
  const names = found.length === 1 ? ['{user}'] : ['{guild}', '{user}'];
  let next = 0;
  return key.replace(ids, () => names[next++] ?? '');
}

/*
 * Ids whose last digits are lost belong to nobody, or to somebody else. Spreadsheets keep 15 digits of a number, and
 * programs that read ids as floating-point numbers about 16. One such id can be genuine, so that what decides is how many
 * there are: the test refuses less than one of 30,000 genuine files, and of those with three members less than one of
 * 100,000; for the zeros of a spreadsheet it is one of a million.
 */

/** Returns whether an id is written as a number with a fraction or an exponent: its digits are certainly lost. */
function isWrittenAsNumber(text: string): boolean {
  const [, number = '', exponent = ''] = /^(\d{1,20}(?:[.,]\d{1,20})?)( ?e ?\+?\d{1,3})?$/i.exec(text) ?? [];
  if (exponent === '' && !/[.,]0+$/.test(number)) return false;
  return Number(`${number.replace(',', '.')}${exponent.replaceAll(' ', '')}`) >= minId;
}

/** Ids of Discord have 16 digits and more. */
const minId = 1e15;
const spreadsheetDigits = 15;
/** Genuine files are refused with at most this probability, for each of the ways to lose digits. */
const maxProbability = 1e-5;
/** Members from whom on it can be clear. */
const minMembers = 3;
/** Maximum number of different ids that decide, the first ones, so that memory does not depend on the size of the file. */
const maxIds = 200_000;
/** Ids that look so by chance more often than this say little. */
const maxChance = 1 / 16;
/** Bits of the counter at the end of an id. Those of the first years are often 0, and such an id is a double as it is: it says nothing. */
const counterBits = 12n;

/** The ways in which an id can have lost digits, each with the probability that a genuine one looks so. */
const ways = {
  spreadsheet(id: string, value: bigint) {
    const lost = id.length - spreadsheetDigits;
    return { probability: 10 ** -lost, isSeen: lost > 0 && value % 10n ** BigInt(lost) === 0n };
  },
  /** An id that went through a program's double: its shortest digits, and zeros. */
  printed: (id: string) => ({ probability: 1 / spacing(id), isSeen: String(Number(id)) === id }),
  /** The double itself. */
  double: (id: string, value: bigint) => ({ probability: 1 / spacing(id), isSeen: BigInt(Number(id)) === value }),
};

/** How far doubles of this size are apart. */
function spacing(id: string): number {
  return 2 ** Math.max(0, Math.floor(Math.log2(Number(id))) - 52);
}

/** Collects ids, and says which have lost digits. */
export function createLostDigits() {
  const seen = new Set<number>();
  const certain: string[] = [];
  const sums = Object.values(ways).map((way) => ({
    way,
    expected: 0,
    all: 1,
    found: 0,
    members: 0,
    examples: [] as string[],
  }));

  return {
    add(id: string): void {
      if (isWrittenAsNumber(id)) {
        if (certain.length < maxExamples) certain.push(id);
        return;
      }
      if (!/^\d{16,20}$/.test(id) || seen.size >= maxIds || seen.has(Number(id))) return;
      seen.add(Number(id));
      const value = BigInt(id);
      if (value % 2n ** counterBits === 0n) return;
      for (const sum of sums) {
        const { probability, isSeen } = sum.way(id, value);
        if (probability > maxChance) continue;
        sum.members += 1;
        sum.expected += probability;
        sum.all *= probability;
        if (!isSeen) continue;
        sum.found += 1;
        if (sum.examples.length < maxExamples) sum.examples.push(id);
      }
    },
    /** Some of the ids that have lost digits; empty if there are none. */
    examples(): readonly string[] {
      if (certain.length > 0) return certain;
      const clear = sums.find((sum) => sum.found >= minMembers && probabilityOf(sum) <= maxProbability);
      return clear?.examples ?? [];
    },
  };
}

const maxExamples = 3;

/** How probable so many are in a genuine file: a bound of Chernoff, or the product if it is all of them. */
function probabilityOf({ found, members, expected, all }: Record<'found' | 'members' | 'expected' | 'all', number>) {
  if (found <= expected) return 1;
  const bound = Math.exp(found - expected - found * Math.log(found / expected));
  return found === members ? Math.min(all, bound) : bound;
}

/** @throws TallyhookError `invalid_import_file` if the ids of the files have lost digits */
export async function rejectLostDigits(
  files: readonly string[],
  options: FileOptions & { readonly readId: (fields: Fields) => string },
): Promise<void> {
  const ids = createLostDigits();
  for (const file of files) {
    for await (const { rows } of readRows(file, options))
      for (const { fields } of rows) ids.add(options.readId(fields));
  }
  const examples = ids.examples();
  if (examples.length > 0) throw lostDigitsError(examples);
}

function lostDigitsError(examples: readonly string[]): TallyhookError {
  const problem =
    `The ids of members have lost their last digits: ${examples.join(', ')}. A spreadsheet does that to numbers of ` +
    'more than 15 digits, and a program that reads ids as floating-point numbers. Nothing was imported.';
  return new TallyhookError('invalid_import_file', problem, {
    hint:
      'The digits are gone from this file: export it again, and import it without opening it in a spreadsheet, or open ' +
      'it there with the column as text (Excel: Data → From Text/CSV → Transform → Text).',
  });
}
