import { closest } from '@tallyhook/platform/did-you-mean';
import { type Markup, trustedMarkup } from '@tallyhook/platform/texts/markup';

/** The values that an owner can insert into the text of a vote's announcement, with the most characters of each. */
export const placeholders = {
  mention: 23,
  listing: 60,
  site: 60,
  credits: 14,
  balance: 23,
  votes: 14,
  streak: 6,
  next: 16,
  time: 16,
  reason: 180,
  bonuses: 220,
  roles: 250,
  url: 512,
} as const;
export type PlaceholderName = keyof typeof placeholders;
export const placeholderNames = Object.keys(placeholders) as PlaceholderName[];
/** Discord shows mentions and times only in the text of an embed, and a title has one line. */
export const titlePlaceholders: readonly PlaceholderName[] = [
  'listing',
  'site',
  'credits',
  'balance',
  'votes',
  'streak',
];

type Part = { readonly text: string } | { readonly placeholder: string };

/** The owner's own text with placeholders: `{mention} voted`. `{{` and `}}` are braces. Parsed in linear time. */
export interface Template {
  /** The parts of each line. */
  readonly lines: readonly (readonly Part[])[];
  /** How many braces have no counterpart. */
  readonly unbalanced: number;
}

/** Escaped braces, placeholders and other braces. Longer names are none, so that many braces cost no more than one. */
const braces = /\{\{|\}\}|\{([^{}]{0,49})\}|[{}]/g;

export function parseTemplate(text: string): Template {
  let unbalanced = 0;
  const lines = text.split('\n').map((line) => {
    const parts: Part[] = [];
    let literal = '';
    let end = 0;
    for (const { 0: found, 1: placeholder, index } of line.matchAll(braces)) {
      literal += line.slice(end, index);
      end = index + found.length;
      if (placeholder === undefined) {
        literal += found.charAt(0);
        if (found.length === 1) unbalanced += 1;
        continue;
      }
      if (literal !== '') parts.push({ text: literal });
      literal = '';
      parts.push({ placeholder });
    }
    literal += line.slice(end);
    return literal === '' ? parts : [...parts, { text: literal }];
  });
  return { lines, unbalanced };
}

/** The names of the placeholders in a template, each once. */
export function placeholdersIn({ lines }: Template): readonly string[] {
  const names = lines.flat().flatMap((part) => ('placeholder' in part ? [part.placeholder] : []));
  return [...new Set(names)];
}

/** A mistake in a template. `message` is the end of a sentence that begins with "it". */
export type TemplateIssue = { readonly message: string } & (
  | { readonly type: 'brace' }
  | { readonly type: 'tooLong'; readonly length: number; readonly max: number }
  | {
      readonly type: 'placeholders';
      /** The names that are not possible, each once. */
      readonly names: readonly string[];
      readonly known: readonly string[];
      /** The possible ones that are most likely meant. */
      readonly meant: readonly string[];
    }
);

/** @param known the names that it may contain */
export function templateIssues(
  text: string,
  { known, maxLength: max }: { readonly known: readonly PlaceholderName[]; readonly maxLength: number },
): readonly TemplateIssue[] {
  const template = parseTemplate(text);
  const names = placeholdersIn(template).filter((name) => !known.some((each) => each === name));
  const length = maxLengthOf(template);
  const issues: TemplateIssue[] = [];
  if (names.length > 0) issues.push(placeholderIssue(names, known));
  if (template.unbalanced > 0) {
    issues.push({
      type: 'brace',
      message: 'it contains a brace without its counterpart; write {{ or }} for a brace',
    });
  }
  if (length > max) {
    const message = `it is too long: with its values it can have ${length} characters, of which ${max} fit into a message`;
    issues.push({ type: 'tooLong', length, max, message });
  }
  return issues;
}

export const inBraces = (name: string) => `{${name}}`;

function placeholderIssue(names: readonly string[], known: readonly PlaceholderName[]): TemplateIssue {
  const meant = [...new Set(names.flatMap((name) => closest(name, known) ?? []))];
  const inText = names.every((name) => placeholderNames.some((each) => each === name));
  const [found, possible, suggested] = [names, known, meant].map((each) => each.map(inBraces).join(', '));
  const hint = meant.length === 0 ? '' : ` (did you mean ${suggested}?)`;
  const what = names.length === 1 ? 'is not a placeholder' : 'are not placeholders';
  const problem = inText ? 'Discord shows only in the text; here' : `${what}${hint};`;
  return {
    type: 'placeholders',
    names,
    known,
    meant,
    message: `it contains ${found}, which ${problem} it can contain ${possible}`,
  };
}

/** The most characters that it can have with its values. */
function maxLengthOf({ lines }: Template): number {
  const sizes = new Map<string, number>(Object.entries(placeholders));
  const parts = lines.flat().map((part) => ('text' in part ? part.text.length : (sizes.get(part.placeholder) ?? 0)));
  return parts.reduce((sum, length) => sum + length, lines.length - 1);
}

/**
 * The template with its values. A line of which only placeholders without a value remain is left out. A placeholder
 * that is not known, which the settings do not allow, stays as it is.
 */
export function renderTemplate({ lines }: Template, values: Readonly<Record<PlaceholderName, Markup>>): Markup {
  const rendered = lines.map((parts) => {
    const texts = parts.map((part) => ('text' in part ? trustedMarkup(part.text) : valueFor(part.placeholder, values)));
    const isLeftOut = parts.some((part) => 'placeholder' in part) && texts.join('').trim() === '';
    return isLeftOut ? null : trustedMarkup(texts.join(''));
  });
  return trustedMarkup(rendered.filter((line) => line !== null).join('\n'));
}

function valueFor(name: string, values: Readonly<Record<string, Markup>>): Markup {
  return (Object.hasOwn(values, name) ? values[name] : undefined) ?? trustedMarkup(`{${name}}`);
}
