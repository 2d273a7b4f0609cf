import { closest } from '@tallyhook/platform/did-you-mean';
import { TallyhookError } from '@tallyhook/platform/errors';
import { type Locale, languageOf, locales } from '@tallyhook/platform/texts/locale';
import { partsOf } from '@tallyhook/platform/texts/message-parts';
import { messagesIn } from '@tallyhook/platform/texts/translations';
import { catalogue } from './catalogue.ts';

/**
 * Texts in place of tallyhook's, by language and key: `{ de: { 'credits.title': 'Münzen' } }`. A language is Discord's
 * code (`es-419`), or `en`, `es`, `pt` or `zh` for all of its regions. Keys are those of the English texts; of a text
 * that depends on a number, the key ends in the form (`parts.credits_one`).
 * @category Texts
 */
export type TextOverrides = Readonly<
  Partial<Record<Locale | 'en' | 'es' | 'pt' | 'zh', Readonly<Record<string, string>>>>
>;

/** Discord's limits (characters). */
const maxButton = 80;
const maxDescription = 100;
const maxText = 700;

/**
 * The overriding texts of each language by their paths.
 * @throws TallyhookError `text_invalid`, with all issues
 */
export function readOverrides(overrides: TextOverrides): ReadonlyMap<Locale, ReadonlyMap<string, string>> {
  const issues: string[] = [];
  const read = new Map<Locale, Map<string, string>>();
  // A region takes precedence over its language.
  const sorted = Object.entries(overrides).toSorted(([one], [other]) => one.length - other.length);
  for (const [code, texts] of sorted) {
    const matching = locales.filter((locale) => locale === code || locale.split('-', 1)[0] === code);
    if (matching.length === 0) issues.push(`there are no texts in ${quoted(code)}${suggestion(code, locales)}`);
    for (const locale of matching) {
      const messages = new Map([...messagesIn(catalogue, 'en'), ...messagesIn(catalogue, languageOf(locale))]);
      const own = read.get(locale) ?? new Map<string, string>();
      for (const [path, text] of Object.entries(texts)) {
        const found = issuesOf(path, text, messages).map((issue) => `${code} ${quoted(path)} ${issue}`);
        issues.push(...found.filter((issue) => !issues.includes(issue)));
        own.set(path, text);
      }
      read.set(locale, own);
    }
  }
  if (issues.length > 0) {
    throw new TallyhookError('text_invalid', `These texts cannot be used: ${issues.join('; ')}.`, {
      hint: 'The texts, their keys and placeholders are those of locales/en.ts.',
    });
  }
  return read;
}

/** What is wrong with a text, as ends of sentences that begin with its path. */
function issuesOf(path: string, text: unknown, messages: ReadonlyMap<string, string>): readonly string[] {
  const original = messages.get(path);
  if (original === undefined) return [`is not a text${suggestion(path, [...messages.keys()])}`];
  if (typeof text !== 'string' || text.trim() === '') return ['is empty'];
  const known = [...placeholdersIn(original), ...(isPluralForm(path) ? ['count'] : [])];
  const unknown = placeholdersIn(text).filter((name) => !known.includes(name));
  const allowed =
    known.length === 0
      ? 'has no placeholders'
      : `can have ${known
          .toSorted()
          .map((name) => `{${name}}`)
          .join(', ')}`;
  const maxLength = maxLengthOf(path);
  return [
    ...unknown.map((name) => `has the placeholder {${name}}${suggestion(name, known)}, but ${allowed}`),
    ...(text.length > maxLength ? [`has ${text.length} characters, of which ${maxLength} fit`] : []),
  ];
}

function placeholdersIn(text: string): readonly string[] {
  return partsOf(text).filter((_, index) => index % 2 === 1);
}

function isPluralForm(path: string): boolean {
  return /_(?:zero|one|two|few|many|other)$/.test(path);
}

function maxLengthOf(path: string): number {
  if (/(?:description|Option)$/.test(path)) return maxDescription;
  return /button/i.test(path) ? maxButton : maxText;
}

function suggestion(name: string, known: readonly string[]): string {
  const similar = closest(name, known);
  return similar === undefined ? '' : ` (did you mean ${quoted(similar)}?)`;
}

const quoted = (text: string) => JSON.stringify(text);
