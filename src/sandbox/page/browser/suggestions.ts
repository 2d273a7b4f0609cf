import { choicesOf, type KnownValues } from './option-values.ts';
import { readLine, type TypedLine } from './typed-line.ts';

export interface Suggestion {
  readonly label: string;
  readonly hint: string;
  /** The whole line after the suggestion was taken. */
  readonly insert: string;
  /** Surely meant: it is highlighted at once, and Enter takes it. */
  readonly certain: boolean;
}

type WithOptions = Extract<TypedLine, { stage: 'options' }>;

/** Discord shows no more at a time. */
const most = 25;

/** What could come next in a line. */
export function suggest(line: string, known: KnownValues): readonly Suggestion[] {
  if (!line.startsWith('/')) return [];
  const typed = readLine(line, known.commands);
  switch (typed.stage) {
    case 'command':
      return named(known.commands, typed.word, '/');
    case 'subcommand':
      return named(typed.nested, typed.word, typed.head);
    case 'options':
      return typed.open === null ? suggestOptions(typed) : suggestValues(typed, typed.open, known);
  }
}

/** What the bot offered for the option that is being typed, as suggestions. */
export function suggestCompletions(
  line: string,
  choices: readonly { readonly name: string }[],
  known: KnownValues,
): readonly Suggestion[] {
  const typed = readLine(line, known.commands);
  if (typed.stage !== 'options' || typed.open === null) return [];
  const before = upTo(typed.open.name, typed);
  return choices.map(({ name }) => ({ label: name, hint: '', insert: `${before}${name} `, certain: true }));
}

function named(
  all: readonly { readonly name: string; readonly description: string }[],
  word: string,
  head: string,
): readonly Suggestion[] {
  return all
    .filter(({ name }) => name.startsWith(word.toLowerCase()))
    .map(({ name, description }) => ({
      label: head === '/' ? `/${name}` : name,
      hint: description,
      insert: `${head}${name} `,
      certain: true,
    }));
}

function suggestOptions({ options, values, head, rest }: WithOptions): readonly Suggestion[] {
  const written = head + writtenValues(values);
  return options
    .filter(({ name }) => !values.has(name) && name.startsWith(rest.toLowerCase()))
    .map(({ name, description, required }) => ({
      label: `${name}:`,
      hint: required ? `${description} (required)` : description,
      insert: `${written}${name}:`,
      certain: Boolean(required) || rest !== '',
    }));
}

function suggestValues(
  typed: WithOptions,
  open: NonNullable<WithOptions['open']>,
  known: KnownValues,
): readonly Suggestion[] {
  const wanted = (typed.values.get(open.name) ?? '').toLowerCase().replace(/^[@#]/, '');
  const before = upTo(open.name, typed);
  return choicesOf(open, known)
    .filter(({ text, also }) => `${text}\n${also}`.toLowerCase().includes(wanted))
    .slice(0, most)
    .map(({ text, also }) => ({ label: text, hint: also, insert: `${before}${text} `, certain: true }));
}

/** The line with the other options first, up to where the value of this one begins. */
function upTo(name: string, { head, values }: WithOptions): string {
  return `${head}${writtenValues([...values].filter(([other]) => other !== name))}${name}:`;
}

function writtenValues(values: Iterable<readonly [string, string]>): string {
  return [...values].map(([name, text]) => `${name}:${text} `).join('');
}
