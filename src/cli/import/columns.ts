import { UsageError, withSuggestion } from '@tallyhook/platform/terminal/terminal';
import { isWrittenAsNumber, lostDigitsError } from './lost-digits.ts';
import { type Fields, fieldPaths, readPath, readText } from './read-rows.ts';

/** The names of what can be imported of a row. */
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

/**
 * Finds out which fields of a file are what, from its first rows.
 * @param mapping what is given
 * @param hasTemplate whether the user's id is read by a template
 * @throws UsageError if the columns do not show who the members are, or what to import
 */
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

/** The ids in a key such as `points_6136…_1000…`. */
export interface KeyParts {
  readonly userId: string;
  /** Null if the template has no guild. */
  readonly guildId: string | null;
}

const maxIdLength = 20;
const ids = /\d{15,20}/g;

/**
 * The reader of keys that contain the member's id, such as `points_{guild}_{user}`. It returns null for keys of another
 * form.
 * @throws UsageError unless the template contains `{user}` once, and `{guild}` at most once
 */
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
