import type { Terminal } from './terminal.ts';

/** Columns of a line at most, however wide a terminal is, and of a terminal that does not say how wide it is. */
export const maxColumns = 80;

/** Spaces, and the sign or number of an item of a list: what follows begins where its text does. */
const leading = /^ *(?:[-✓!✗] |\d+\. )?/;

/**
 * The terminal with lines that are wrapped between words where they are wider than it. Output that is no terminal stays as
 * it is, for the program that reads it.
 */
export function wrapLines(terminal: Terminal): Terminal {
  const { print, printError, output, errorOutput } = terminal;
  return {
    ...terminal,
    print: (line) => print(wrapText(line, columnsOf(output))),
    printError: (line) => printError(wrapText(line, columnsOf(errorOutput))),
  };
}

function columnsOf(output: Terminal['output']): number {
  if (!('columns' in output)) return Number.POSITIVE_INFINITY;
  return Math.min(Number(output.columns) || maxColumns, maxColumns);
}

/** A text whose lines have at most so many columns, unless a word alone has more. */
export function wrapText(text: string, columns: number): string {
  return text
    .split('\n')
    .map((line) => (line.length <= columns ? line : wrapLine(line, columns)))
    .join('\n');
}

function wrapLine(line: string, columns: number): string {
  const start = leading.exec(line)?.[0] ?? '';
  const indent = ' '.repeat(start.length);
  const lines: string[] = [];
  let current = start;
  for (const word of line.slice(start.length).split(/(?<= )(?=[^ ])/)) {
    const isFull = (current + word).trimEnd().length > columns && current.trim() !== '' && current !== start;
    if (isFull) lines.push(current.trimEnd());
    current = isFull ? indent + word : current + word;
  }
  return [...lines, current.trimEnd()].join('\n');
}
