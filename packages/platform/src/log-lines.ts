import { styleText } from 'node:util';
import { isObject, parseJson } from './json.ts';

/** The levels by their numbers in pino. */
const levels: Readonly<Record<number, readonly [label: string, colour: Parameters<typeof styleText>[0]]>> = {
  10: ['TRACE', 'gray'],
  20: ['DEBUG', 'gray'],
  30: ['INFO ', 'green'],
  40: ['WARN ', 'yellow'],
  50: ['ERROR', 'red'],
  60: ['FATAL', 'red'],
};

/**
 * Formats one of pino's JSON lines for a terminal: time, level, message and fields on one line, hint and stack below.
 * Returns any other line unchanged.
 */
export function prettyLine(line: string): string {
  const record = parseJson(line);
  if (!isObject(record)) return line;
  const { level, time, msg, err, hint, ...fields } = record;
  const [label, colour] = levels[Number(level)] ?? ['     ', 'gray'];
  const fieldTexts = Object.entries(fields).map(([name, value]) =>
    styleText('gray', ` ${escapeInvisible(name)}=${formatValue(value)}`),
  );
  const message = escapeInvisible(textOf(msg));
  const lines = [`${timeOfDay(time)} ${styleText(colour, label)} ${message}${fieldTexts.join('')}`];
  if (hint !== undefined) lines.push(`→ ${escapeInvisible(textOf(hint))}`);
  if (err !== undefined) lines.push(...stackOf(err));
  return `${lines.join('\n               ')}\n`;
}

/** In the machine's time zone. */
function timeOfDay(time: unknown): string {
  const date = new Date(String(time));
  return Number.isNaN(date.getTime()) ? '--:--:--' : date.toTimeString().slice(0, 8);
}

/** A single word without quotes, any other value as JSON. */
function formatValue(value: unknown): string {
  return typeof value === 'string' && /^[\w.:/@-]+$/.test(value) ? value : escapeInvisible(JSON.stringify(value));
}

function textOf(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function stackOf(err: unknown): string[] {
  const { stack, message } = isObject(err) ? err : { stack: err, message: undefined };
  return textOf(stack ?? message)
    .split('\n')
    .map(escapeInvisible);
}

/**
 * Escapes control and invisible characters: external text in a log must not control the terminal or hide parts of a
 * line.
 */
function escapeInvisible(text: string): string {
  return text.replaceAll(
    /[\p{Cc}\p{Cf}\u2028\u2029]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}
