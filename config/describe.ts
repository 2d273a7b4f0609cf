import { type Environment, isSecretValue, readValues, sourceOf, withoutPassword } from './read-values.ts';
import type { ConfigIssue } from './schema.ts';
import { type SettingName, settingNames, settings } from './settings.ts';
import { warningsOf } from './warnings.ts';

/** A setting as it may be shown to anybody. */
export interface ShownSetting {
  readonly name: SettingName;
  readonly source: ReturnType<typeof sourceOf>;
  /** Null where it is not set, in a file, or a secret. An address is shown without its password. */
  readonly value: string | null;
}

/** What is in force, secrets hidden. It shows faulty settings too: it is how one finds them. */
export function shownSettings(environment: Environment): ShownSetting[] {
  return settingNames.map((name) => {
    const source = sourceOf(name, environment);
    return { name, source, value: shownValue(name, source, environment) };
  });
}

function shownValue(name: SettingName, source: ShownSetting['source'], environment: Environment): string | null {
  if (source === 'default') return settings[name].default ?? null;
  return source === 'environment' ? publicPart(name, environment[name] ?? '') : null;
}

function publicPart(name: SettingName, value: string): string | null {
  if (!isSecretValue(name, value)) return withoutPassword(value);
  if (!('isAddress' in settings[name]) || !/^\w+:\/\//.test(value) || !URL.canParse(value)) return null;
  const { protocol, host, pathname } = new URL(value);
  return `${protocol}//${host}${pathname}`;
}

/** The same as text, a line per setting. */
export function describeConfig(environment: Environment): string {
  const width = Math.max(...settingNames.map((name) => name.length));
  const lines = shownSettings(environment).map(
    (shown) => `${shown.name.padEnd(width)}  ${inWords(shown, environment)}`,
  );
  return `${lines.join('\n')}\n`;
}

function inWords({ name, source, value }: ShownSetting, environment: Environment): string {
  if (source === 'unset') return '(not set)';
  if (source === 'file') return `(from the file ${environment[`${name}_FILE`]})`;
  if (source === 'default') return `${value}  (default)`;
  if (value === null) return '(set, hidden)';
  return isSecretValue(name, environment[name] ?? '') ? `${value}  (password hidden)` : value;
}

/** What in the environment is most likely not meant, whether or not its settings are faulty. */
export function configWarnings(environment: Environment): ConfigIssue[] {
  return warningsOf(environment, readValues(environment).secretFiles);
}
