import { autocomplete, autocompleteMultiselect, confirm, isCancel, password, text } from '@clack/prompts';
import { TallyhookError } from '@tallyhook/platform/errors';
import { type Terminal, UsageError } from '@tallyhook/platform/terminal/terminal';

export type Prompt = ReturnType<typeof createPrompt>;

/** A choice of a list. The label may be external text. */
export interface Choice {
  readonly value: string;
  readonly label: string;
  readonly hint?: string;
}

export interface TextQuestion {
  readonly message: string;
  /** The answer to Enter alone. */
  readonly kept?: string | undefined;
  readonly isSecret?: boolean;
  /** Returns the mistake in an answer; undefined without one. */
  validate(answer: string): string | undefined;
}

/** Long lists are searched. */
const maxShown = 12;
const defaultColumns = 80;

/** Asks questions on a terminal. Each function throws TallyhookError `stopped` after Ctrl-C, Esc or a signal. */
export function createPrompt({ input, output, stop }: Terminal) {
  const on = { input, output, signal: stop };
  // A terminal that does not know its size, such as one of a container, would get one letter per line.
  if ('columns' in output && output.columns === 0) output.columns = defaultColumns;

  async function answerTo<Answer>(asking: Promise<Answer>): Promise<Exclude<Answer, symbol>> {
    const answer = await asking;
    if (!isAnswer(answer)) throw new TallyhookError('stopped', '\nStopped. Nothing was written.');
    return answer;
  }

  return {
    /** The answer without white space around it; empty if there is none. */
    async text({ message, kept, isSecret = false, validate }: TextQuestion): Promise<string> {
      const check = (answer = '') => validate(answer.trim() || kept || '');
      if (isSecret) {
        const answer = await answerTo(password({ ...on, message, validate: check, clearOnError: true }));
        return answer?.trim() || kept || '';
      }
      const shown = kept === undefined ? {} : { placeholder: kept, defaultValue: kept };
      const answer = await answerTo(text({ ...on, message, ...shown, validate: check }));
      return answer?.trim() ?? '';
    },
    /** One of a list that is searched while somebody types. */
    choose: (message: string, choices: readonly Choice[], initialValue: string): Promise<string> =>
      answerTo(autocomplete({ ...on, ...listOf(message, choices), initialValue, validate: requireChoice })),
    /** Any number of a list that is searched while somebody types. */
    chooseSeveral: (message: string, choices: readonly Choice[], initialValues: string[]): Promise<string[]> =>
      answerTo(autocompleteMultiselect({ ...on, ...listOf(message, choices), initialValues, required: false })),
    confirm: (message: string, initialValue = true): Promise<boolean> =>
      answerTo(confirm({ ...on, message, initialValue })),
  };
}

function listOf(message: string, choices: readonly Choice[]) {
  const options = choices.map((choice) => ({ ...choice, label: printable(choice.label) }));
  return { message, options, maxItems: maxShown, placeholder: 'Type to search' };
}

/** Nothing is chosen if nothing of the list matches what was typed. */
function requireChoice(chosen: unknown): string | undefined {
  return chosen === undefined ? 'Nothing of the list matches. Change what you typed.' : undefined;
}

function isAnswer<Answer>(answer: Answer): answer is Exclude<Answer, symbol> {
  return !isCancel(answer);
}

/** The name without characters that could change what the terminal shows. */
function printable(name: string): string {
  return name.replaceAll(/[\p{Cc}\p{Cf}]/gu, '');
}

/** Asks before what cannot be taken back; prints `declined` if the answer is no. @throws UsageError */
export async function confirmed(question: string, declined: string, terminal: Terminal): Promise<boolean> {
  const { input, errorOutput, stop, printError } = terminal;
  if (!isTerminal(terminal))
    throw new UsageError('There is no terminal to confirm this. Use --yes, after a --dry-run.');
  const answer = await confirm({ input, output: errorOutput, signal: stop, message: question, initialValue: false });
  if (answer !== true) printError(declined);
  return answer === true;
}

/** Somebody can answer questions. */
export function isTerminal({ input }: Terminal): boolean {
  return 'isTTY' in input && input.isTTY === true;
}
