import { readFileSync } from 'node:fs';
import type { ConfigIssue } from '../src/platform/invalid-config-error.ts';
import { type SecretFile, worldWritableIssue } from '../src/platform/secret-files.ts';
import type { Environment } from './environment.ts';
import { type SettingName, type SettingSource, settingNames, settings, type Values } from './settings.ts';

/** Result of {@link readValues}. */
export interface ReadValues {
  readonly values: Values;
  readonly issues: ConfigIssue[];
  /** Files of `NAME_FILE` variables with a secret, and the file that `TALLYHOOK_CONFIG` names. */
  readonly secretFiles: readonly SecretFile[];
}

/**
 * Reads each setting from its variable, its `NAME_FILE` or its default, and validates it. Issues are collected, not
 * thrown.
 */
export function readValues(environment: Environment): ReadValues {
  const issues: ConfigIssue[] = [];
  const texts = settingNames.map((name) => [name, readText(name, environment, issues)] as const);
  const secretFiles = texts.flatMap(([name, text]) => {
    if (text === undefined) return [];
    if (name === 'TALLYHOOK_CONFIG') return [{ setting: name, path: text }];
    const path = environment[`${name}_FILE`];
    return isSet(path) && isSecretValue(name, text) ? [{ setting: `${name}_FILE`, path }] : [];
  });
  issues.push(...secretFiles.map(worldWritableIssue).filter((issue) => issue !== null));
  const values = texts.map(([name, text]) => [name, text === undefined ? undefined : parseValue(name, text, issues)]);
  return { values: Object.fromEntries(values), issues, secretFiles };
}

export function sourceOf(name: SettingName, environment: Environment): SettingSource {
  if (isSet(environment[name])) return 'environment';
  if (isSet(environment[`${name}_FILE`])) return 'file';
  return settings[name].default === undefined ? 'unset' : 'default';
}

function readText(name: SettingName, environment: Environment, issues: ConfigIssue[]): string | undefined {
  const text = environment[name];
  const path = environment[`${name}_FILE`];
  if (isSet(text) && isSet(path)) {
    issues.push({ setting: name, problem: `is set twice, also as ${name}_FILE.`, hint: 'Remove one of the two.' });
    return undefined;
  }
  if (isSet(path)) return readFromFile(name, path, issues);
  return isSet(text) ? text : settings[name].default;
}

/** Compose files pass variables that are not set as empty ones. */
function isSet(value: string | undefined): value is string {
  return value !== undefined && value !== '';
}

function readFromFile(name: SettingName, path: string, issues: ConfigIssue[]): string | undefined {
  const setting = `${name}_FILE`;
  try {
    const text = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
    if (text !== '') return text;
    const hint = `Write ${settings[name].expected} into it.`;
    issues.push({ setting, problem: `points to an empty file (${path}).`, hint });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    const hint = 'Correct the path, and make sure that the user of the tallyhook process can read the file.';
    issues.push({ setting, problem: `points to a file that cannot be read (${path}: ${code}).`, hint });
  }
  return undefined;
}

/**
 * Whether a value of this setting is a secret. The URL of a local file or of the memory has no password, so it is not.
 */
export function isSecretValue(name: SettingName, text: string): boolean {
  const setting = settings[name];
  return 'secret' in setting && !('isAddress' in setting && isLocalAddress(text));
}

/** `sqlite:` followed by a path, or `memory:`. */
function isLocalAddress(text: string): boolean {
  return /^(sqlite:(?!\/\/)|memory:$)/.test(text);
}

function parseValue(name: SettingName, text: string, issues: ConfigIssue[]): unknown {
  const { schema, expected } = settings[name];
  const result = schema.safeParse(text);
  if (result.success) return result.data;
  const shown =
    'secret' in settings[name] ? ' (not shown, because it is secret)' : `: ${JSON.stringify(withoutPassword(text))}`;
  issues.push({ setting: name, problem: `has an invalid value${shown}.`, hint: `Set it to ${expected}.` });
  return undefined;
}

/** The value without a password in its URL, which even a setting that is not secret may contain. */
export function withoutPassword(value: string): string {
  return value.replace(/^(\w+:\/\/)[^/@]*@/, '$1…@');
}
