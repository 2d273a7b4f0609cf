import { readFileSync } from 'node:fs';
import type { ConfigIssue } from './schema.ts';
import { isWorldWritable, worldWritable } from './secret-file.ts';
import { type SettingName, settingNames, settings, type Values } from './settings.ts';

/** Variables by name, as `process.env` has them. An empty one counts as unset. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A file, and the setting that names it. */
export interface NamedFile {
  readonly setting: string;
  readonly path: string;
}

export interface ReadValues {
  readonly values: Values;
  readonly faults: ConfigIssue[];
  /** The files that hold secrets: those of `NAME_FILE` variables, and the one of the listings. */
  readonly secretFiles: readonly NamedFile[];
}

/** Every setting's text from the environment, `NAME_FILE` or its default, checked. The faults are collected, not thrown. */
export function readValues(environment: Environment): ReadValues {
  const faults: ConfigIssue[] = [];
  const texts = settingNames.map((name) => [name, textOf(name, environment, faults)] as const);
  const secretFiles = texts.flatMap(([name, text]) => {
    if (text === undefined) return [];
    if (name === 'TALLYHOOK_CONFIG') return [{ setting: name, path: text }];
    const path = environment[`${name}_FILE`];
    return isSet(path) && isSecretValue(name, text) ? [{ setting: `${name}_FILE`, path }] : [];
  });
  for (const { setting, path } of secretFiles) refuseWorldWritable(setting, path, faults);
  const values = texts.map(([name, text]) => [name, text === undefined ? undefined : check(name, text, faults)]);
  return { values: Object.fromEntries(values), faults, secretFiles };
}

/** A file that is not there is reported by whoever reads it. */
function refuseWorldWritable(setting: string, path: string, faults: ConfigIssue[]): void {
  try {
    if (isWorldWritable(path)) faults.push(worldWritable(setting, path));
  } catch {
    // As above.
  }
}

/** Where the value of a setting comes from, for whoever asks what is in force. */
export function sourceOf(name: SettingName, environment: Environment): 'environment' | 'file' | 'default' | 'unset' {
  if (isSet(environment[name])) return 'environment';
  if (isSet(environment[`${name}_FILE`])) return 'file';
  return settings[name].default === undefined ? 'unset' : 'default';
}

function textOf(name: SettingName, environment: Environment, faults: ConfigIssue[]): string | undefined {
  const direct = environment[name];
  const path = environment[`${name}_FILE`];
  if (isSet(direct) && isSet(path)) {
    faults.push({ setting: name, problem: `is set twice, also as ${name}_FILE.`, hint: 'Remove one of the two.' });
    return undefined;
  }
  if (isSet(path)) return textOfFile(name, path, faults);
  return isSet(direct) ? direct : settings[name].default;
}

/** An empty variable counts as unset: compose files pass on variables that nobody has set as empty ones. */
function isSet(value: string | undefined): value is string {
  return value !== undefined && value !== '';
}

function textOfFile(name: SettingName, path: string, faults: ConfigIssue[]): string | undefined {
  const setting = `${name}_FILE`;
  try {
    const text = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
    if (text === '') {
      faults.push({
        setting,
        problem: `names an empty file (${path}).`,
        hint: `Put into it ${settings[name].expected}.`,
      });
    } else {
      return text;
    }
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    const cure = 'Correct the path, and let the user that tallyhook runs as read the file.';
    faults.push({ setting, problem: `names a file that cannot be read (${path}: ${why}).`, hint: cure });
  }
  return undefined;
}

/** Whether a value of this setting is a secret. An address of a file or of the memory is none: it has no password. */
export function isSecretValue(name: SettingName, text: string): boolean {
  const setting = settings[name];
  return 'secret' in setting && !('isAddress' in setting && isLocalAddress(text));
}

/** `sqlite:` followed by a path, or `memory:`. */
export function isLocalAddress(text: string): boolean {
  return /^(sqlite:(?!\/\/)|memory:$)/.test(text);
}

function check(name: SettingName, text: string, faults: ConfigIssue[]): unknown {
  const { schema, expected: form } = settings[name];
  const secret = 'secret' in settings[name];
  const checked = schema.safeParse(text);
  if (checked.success) return checked.data;
  const problem = secret
    ? 'has a value that cannot be used (not shown: it is a secret).'
    : `cannot be ${JSON.stringify(withoutPassword(text))}.`;
  faults.push({ setting: name, problem, hint: `Set it to ${form}.` });
  return undefined;
}

/** A setting that is no secret may still be an address into which somebody wrote a password. */
export function withoutPassword(value: string): string {
  return value.replace(/^(\w+:\/\/)[^/@]*@/, '$1…@');
}
