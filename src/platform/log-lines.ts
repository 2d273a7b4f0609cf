import { styleText } from 'node:util';

/** pino's numbers of the levels. */
const levels: Readonly<Record<number, readonly [label: string, colour: Parameters<typeof styleText>[0]]>> = {
  10: ['TRACE', 'gray'],
  20: ['DEBUG', 'gray'],
  30: ['INFO ', 'green'],
  40: ['WARN ', 'yellow'],
  50: ['ERROR', 'red'],
  60: ['FATAL', 'red'],
};

/** A line of JSON as pino writes it becomes one for people: time, level, message, the other fields, and below them a hint and a stack. */
export function prettyLine(line: string): string {
  const record = parsed(line);
  if (record === null) return line;
  const { level, time, msg, err, cure, ...fields } = record;
  const [label, colour] = levels[Number(level)] ?? ['     ', 'gray'];
  const rest = Object.entries(fields).map(([name, value]) => styleText('gray', ` ${visible(name)}=${written(value)}`));
  const lines = [`${timeOfDay(time)} ${styleText(colour, label)} ${visible(textOf(msg))}${rest.join('')}`];
  if (cure !== undefined) lines.push(`→ ${visible(textOf(cure))}`);
  if (err !== undefined) lines.push(...stackOf(err));
  return `${lines.join('\n               ')}\n`;
}

function parsed(line: string): Readonly<Record<string, unknown>> | null {
  try {
    const record: unknown = JSON.parse(line);
    return isRecord(record) ? record : null;
  } catch {
    return null;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** On the clock of this machine, as people have it beside them. */
function timeOfDay(time: unknown): string {
  const moment = new Date(String(time));
  return Number.isNaN(moment.getTime()) ? '--:--:--' : moment.toTimeString().slice(0, 8);
}

/** A word as it is, anything else as JSON. */
function written(value: unknown): string {
  return typeof value === 'string' && /^[\w.:/@-]+$/.test(value) ? value : visible(JSON.stringify(value));
}

function textOf(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function stackOf(err: unknown): string[] {
  const { stack, message } = isRecord(err) ? err : { stack: err, message: undefined };
  return textOf(stack ?? message)
    .split('\n')
    .map(visible);
}

/** Foreign words may be in a log: what would steer the terminal, or hide in the text, is spelled out. */
function visible(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`);
}
