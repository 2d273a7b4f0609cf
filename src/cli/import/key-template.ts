import { UsageError } from '../../terminal/terminal.ts';

/** What a key such as `points_6136…_1000…` contains. */
export interface KeyParts {
  readonly userId: string;
  /** Null if the template has no guild. */
  readonly guildId: string | null;
}

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
  const texts = template.split(/\{(?:user|guild)\}/).map((text) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'));
  const pattern = new RegExp(`^${texts.join('(\\d{1,20})')}$`);
  return (key) => {
    const found = pattern.exec(key)?.slice(1);
    if (found === undefined) return null;
    const userId = found[names.indexOf('user')] ?? '';
    return { userId, guildId: names.includes('guild') ? (found[names.indexOf('guild')] ?? null) : null };
  };
}

/** A template of a key that contains ids: the last one is the user, one before it the guild. Null without ids. */
export function suggestTemplate(key: string): string | null {
  const found = [...key.matchAll(ids)];
  if (found.length === 0 || found.length > 2 || found[0]?.[0] === key) return null;
  const names = found.length === 1 ? ['{user}'] : ['{guild}', '{user}'];
  let next = 0;
  return key.replace(ids, () => names[next++] ?? '');
}
