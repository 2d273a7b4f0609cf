import { randomBytes } from 'node:crypto';
import { readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { TallyhookError } from '@tallyhook/platform/errors';
import { readTextFile, UnreadableFileError } from '@tallyhook/platform/text-file';

/** The content of a file `.env`; null if there is none. @throws UnreadableFileError */
export function readEnvFile(path: string): string | null {
  try {
    return readTextFile(path);
  } catch (error) {
    if (error instanceof UnreadableFileError && error.isMissing) return null;
    throw error;
  }
}

/**
 * The text with these values. Comments and other values stay. A value replaces that of the same name, or follows the
 * comment with an example of it (`#NAME=`), or is added at the end.
 * @throws TallyhookError `unreadable_file` if a value cannot be written so that it is read again
 */
export function mergeEnv(text: string, values: ReadonlyMap<string, string>): string {
  const lines = text === '' ? [] : text.replace(/\n$/, '').split('\n');
  for (const [name, value] of values) {
    const line = `${name}=${quote(value)}`;
    const assigned = lines.flatMap((each, index) => (assignmentIn(each) === name ? [index] : []));
    const example = lines.findIndex((each) => each.startsWith(`#${name}=`));
    const last = assigned.at(-1);
    if (last !== undefined) {
      // Reading takes the last one.
      lines.splice(last, linesOfValue(lines, last), line);
    } else if (example !== -1) lines.splice(example + 1, 0, line);
    else lines.push(line);
  }
  const merged = `${lines.join('\n')}\n`;
  const read = parseEnv(merged);
  const before = parseEnv(text);
  for (const name of new Set([...Object.keys(before), ...values.keys()])) {
    if (read[name] === (values.get(name) ?? before[name])) continue;
    throw new TallyhookError('unreadable_file', `${name} cannot be written to the file so that it is read again.`, {
      hint: 'Change it with an editor.',
    });
  }
  return merged;
}

/** Replaces the file as a whole: it is readable for its owner only, and never half written. */
export function writeEnvFile(path: string, text: string): void {
  const target = resolveLink(path);
  const partial = `${target}.${randomBytes(4).toString('hex')}.tmp`;
  try {
    writeFileSync(partial, text, { flag: 'wx', mode: 0o600, flush: true });
    renameSync(partial, target);
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  }
}

/** A link to the file stays one. */
function resolveLink(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function assignmentIn(line: string): string | undefined {
  return /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=/.exec(line)?.[1];
}

/** A value in quotes may have several lines. */
function linesOfValue(lines: readonly string[], start: number): number {
  const line = lines[start] ?? '';
  const value = line.slice(line.indexOf('=') + 1).trimStart();
  const mark = value[0] ?? '';
  if (!['"', "'", '`'].includes(mark) || value.indexOf(mark, 1) !== -1) return 1;
  const end = lines.findIndex((each, index) => index > start && each.includes(mark));
  return end === -1 ? 1 : end - start + 1;
}

function quote(value: string): string {
  if (/^[\w.:/@%+,=?&-]*$/.test(value)) return value;
  const mark = ["'", '"', '`'].find((each) => !value.includes(each)) ?? "'";
  return `${mark}${value}${mark}`;
}

/** The commented example of all settings, which is part of the package; a heading if it cannot be found. */
export function envTemplate(): string {
  // Above the sources and the bundle.
  for (const path of ['../../../.env.example', '../../.env.example']) {
    try {
      return withoutEmptyValues(readFileSync(new URL(path, import.meta.url), 'utf8'));
    } catch {
      // Try the next one.
    }
  }
  return '# Settings of tallyhook.\n';
}

/** Values to fill in become comments, so that they stay if they are left out. */
function withoutEmptyValues(text: string): string {
  return text
    .split('\n')
    .map((line) => (/^[A-Z_]+=$/.test(line) ? `#${line}` : line))
    .join('\n');
}
