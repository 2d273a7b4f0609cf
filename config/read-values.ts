import { readFileSync } from 'node:fs';
import type { Fault } from './schema.ts';
import { isReadableByAll, readableByAll } from './secret-file.ts';
import { type SettingName, settingNames, settings, type Values } from './settings.ts';

/** Variables by name, as `process.env` has them. An empty one counts as unset. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Every setting's text from the environment, `NAME_FILE` or its default, checked. The faults are collected, not thrown. */
export function readValues(environment: Environment): { values: Values; faults: Fault[] } {
  const faults: Fault[] = [];
  const values = settingNames.map((name) => {
    const text = textOf(name, environment, faults);
    return [name, text === undefined ? undefined : check(name, text, faults)];
  });
  return { values: Object.fromEntries(values), faults };
}

/** Where the value of a setting comes from, for whoever asks what is in force. */
export function sourceOf(name: SettingName, environment: Environment): 'environment' | 'file' | 'default' | 'unset' {
  if (isSet(environment[name])) return 'environment';
  if (isSet(environment[`${name}_FILE`])) return 'file';
  return settings[name].default === undefined ? 'unset' : 'default';
}

function textOf(name: SettingName, environment: Environment, faults: Fault[]): string | undefined {
  const direct = environment[name];
  const path = environment[`${name}_FILE`];
  if (isSet(direct) && isSet(path)) {
    faults.push({ setting: name, problem: `is set twice, also as ${name}_FILE.`, cure: 'Remove one of the two.' });
    return undefined;
  }
  if (isSet(path)) return textOfFile(name, path, faults);
  return isSet(direct) ? direct : settings[name].default;
}

/** An empty variable counts as unset: compose files pass on variables that nobody has set as empty ones. */
function isSet(value: string | undefined): value is string {
  return value !== undefined && value !== '';
}

function textOfFile(name: SettingName, path: string, faults: Fault[]): string | undefined {
  const setting = `${name}_FILE`;
  try {
    const text = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
    if (text === '') {
      faults.push({ setting, problem: `names an empty file (${path}).`, cure: `Put into it ${settings[name].form}.` });
    } else if (isSecret(name, text) && isReadableByAll(path)) {
      faults.push(readableByAll(setting, path));
    } else {
      return text;
    }
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    const cure = 'Correct the path, and let the user that tallyhook runs as read the file.';
    faults.push({ setting, problem: `names a file that cannot be read (${path}: ${why}).`, cure });
  }
  return undefined;
}

/** An address on this machine holds no password. */
function isSecret(name: SettingName, text: string): boolean {
  return 'secret' in settings[name] && !/^(sqlite|memory):/.test(text);
}

function check(name: SettingName, text: string, faults: Fault[]): unknown {
  const { schema, form } = settings[name];
  const secret = 'secret' in settings[name];
  const checked = schema.safeParse(text);
  if (checked.success) return checked.data;
  const problem = secret
    ? 'has a value that cannot be used (not shown: it is a secret).'
    : `cannot be ${JSON.stringify(text)}.`;
  faults.push({ setting: name, problem, cure: `Set it to ${form}.` });
  return undefined;
}
