import { parseEnv } from 'node:util';
import type { KeySources } from '@tallyhook/platform/encryption/encryption';
import { parseEncryptionKey } from '@tallyhook/platform/encryption/encryption-key';
import type { ConfigIssue } from '@tallyhook/platform/invalid-config-error';
import { type SecretFile, worldWritableIssue } from '@tallyhook/platform/secret-files';
import { readTextFile, UnreadableFileError } from '@tallyhook/platform/text-file';
import {
  readSetting,
  type SettingName,
  type SettingSource,
  settingNames,
  settings,
  type Values,
  type Variable,
} from './settings.ts';

/** Variables by name, like `process.env`. An empty variable counts as unset. @category Start here */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The variables of the process over those of the file `.env`, which is optional. @throws UnreadableFileError */
export function readEnvironment(variables: Environment, path = '.env'): Environment {
  return { ...readDotEnv(path), ...variables };
}

function readDotEnv(path: string): Environment {
  return parseEnv(readDotEnvText(path));
}

/** The text of a file `.env`; empty without the file. @throws UnreadableFileError */
export function readDotEnvText(path: string): string {
  try {
    return readTextFile(path);
  } catch (error) {
    if (error instanceof UnreadableFileError && error.isMissing) return '';
    throw error;
  }
}

export interface ReadValues {
  readonly values: Values;
  readonly issues: ConfigIssue[];
  /** Files of `NAME_FILE` variables with a secret, and the file that `TALLYHOOK_CONFIG` names. */
  readonly secretFiles: readonly SecretFile[];
}

/** Reads each setting from its variable, its `NAME_FILE` or its default. Issues are collected, not thrown. */
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
    const text = readTextFile(path).replace(/\r?\n$/, '');
    if (text !== '') return text;
    const hint = `Write ${settings[name].expected} into it.`;
    issues.push({ setting, problem: `points to an empty file (${path}).`, hint });
  } catch (error) {
    if (!(error instanceof UnreadableFileError)) throw error;
    issues.push({ setting, problem: `points to ${path}, which ${error.problem}.`, hint: error.hint });
  }
  return undefined;
}

/** True if a value of this setting is secret: the URL of a local file or of the memory has no password. */
export function isSecretValue(name: SettingName, text: string): boolean {
  const setting = settings[name];
  return 'secret' in setting && !('isAddress' in setting && isLocalAddress(text));
}

/** `sqlite:` followed by a path, or `memory:`. */
function isLocalAddress(text: string): boolean {
  return /^(sqlite:(?!\/\/)|memory:$)/.test(text);
}

function parseValue(name: SettingName, text: string, issues: ConfigIssue[]): unknown {
  const setting: Variable = settings[name];
  // As a line of .env is pasted into the form of a host.
  const result = readSetting(setting, text.startsWith(`${name}=`) ? text.slice(name.length + 1) : text);
  if (result.success) return result.data;
  const problem = invalidValue(setting, text, result.problem);
  issues.push({ setting: name, problem, hint: `Set it to ${setting.expected}.` });
  return undefined;
}

/** Longer invalid values (characters) are not shown: they may be a secret of another setting. */
const maxShownLength = 24;

/** The problem of a value. @param problem what is wrong with its form, if more than that it is not what is expected */
export function invalidValue(setting: Variable, text: string, problem: string | null): string {
  const because = setting.secret ? 'it is secret' : 'it may be a secret';
  const isShown = !setting.secret && text.length <= maxShownLength;
  const shown = isShown ? `: ${JSON.stringify(withoutPassword(text))}` : ` (not shown, because ${because})`;
  return `has an invalid value${shown}${problem === null ? '' : `; ${problem}`}.`;
}

export function isShownValue(name: SettingName, text: string): boolean {
  return text.length <= maxShownLength || readSetting<unknown>(settings[name], text).success;
}

/** The value without a password in its URL, which even a setting that is not secret may contain. */
export function withoutPassword(value: string): string {
  return value.replace(/^(\w+:\/\/).*@/s, '$1…@');
}

const keyFileSuffix = '.key';

/** The keys of secrets in the database. A database server has no key file. */
export function keySourcesOf({ SETTINGS_KEY, NEW_SETTINGS_KEY, DATABASE_URL = '' }: Partial<Values>): KeySources {
  const [scheme, path] = DATABASE_URL.split(/:(.*)/s);
  return {
    key: SETTINGS_KEY === undefined ? null : parseEncryptionKey(SETTINGS_KEY),
    newKey: NEW_SETTINGS_KEY === undefined ? null : parseEncryptionKey(NEW_SETTINGS_KEY),
    keyFile: scheme === 'sqlite' && path ? `${path}${keyFileSuffix}` : null,
  };
}

/** True if secrets can be stored in the database, so that listings can be linked in Discord. */
export function mayStoreSecrets(values: Partial<Values>): boolean {
  return Object.values(keySourcesOf(values)).some((source) => source !== null);
}
