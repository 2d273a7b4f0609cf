import { UsageError } from '@tallyhook/platform/terminal/terminal';

/** What a key such as `points_6136…_1000…` contains. */
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
