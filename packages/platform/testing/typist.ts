import { stripVTControlCharacters } from 'node:util';

/** Keys by the beginning of the question; of others, Enter alone. */
export type Typed = readonly (readonly [question: string, keys: string])[];

export const ctrlC = '\u0003';
const clearLine = '\u0015';
/** Chooses what is found by a text, in a list of which several can be chosen. */
export const tick = (text: string) => `${clearLine}${text}\t\r`;

/** Answers the questions of a dialog on a terminal. @param press writes keys to it */
export function createTypist(typed: Typed, press: (keys: string) => void) {
  const answers = [...typed];
  let seen = 0;
  let last = '';
  return {
    /** @param output all that the terminal has shown so far */
    read(output: string): void {
      const shown = [...stripVTControlCharacters(output.slice(seen)).matchAll(/([◆▲◇]) {2}(.+?)\r?\n/g)].at(-1);
      if (shown === undefined) return;
      const [, mark = '', question = ''] = shown;
      seen = output.length;
      // ▲ asks again after a refused answer, and becomes ◆ with the first key; ◇ is done.
      const isAsked = mark === '▲' || (mark === '◆' && last !== '▲');
      last = mark;
      if (!isAsked) return;
      const index = answers.findIndex(([beginning]) => question.startsWith(beginning));
      const [[, keys] = ['', '\r']] = index === -1 ? [] : answers.splice(index, 1);
      // What an answer was refused with stays in its field.
      setImmediate(() => press(`${clearLine}${keys}`));
    },
    /** The answers to questions that were not asked. */
    left: (): Typed => answers,
  };
}
