import type { Environment } from './environment.ts';
import { isSecretValue, isShownValue, sourceOf, withoutPassword } from './read-values.ts';
import { type SettingName, type SettingSource, settingNames, settings } from './settings.ts';

/** A setting without secrets. */
export interface PublicSetting {
  readonly name: SettingName;
  readonly source: SettingSource;
  /** Null if the setting is unset, secret, or read from a file. The URL of a server is shown without its password. */
  readonly value: string | null;
}

/** The settings in effect, with secrets hidden. Invalid values are included, since this is where to find them. */
export function publicSettings(environment: Environment): PublicSetting[] {
  return settingNames.map((name) => {
    const source = sourceOf(name, environment);
    return { name, source, value: publicValue(name, source, environment) };
  });
}

function publicValue(name: SettingName, source: SettingSource, environment: Environment): string | null {
  if (source === 'default') return settings[name].default ?? null;
  return source === 'environment' ? publicPart(name, environment[name] ?? '') : null;
}

function publicPart(name: SettingName, value: string): string | null {
  if (!isShownValue(name, value)) return null;
  if (!isSecretValue(name, value)) return withoutPassword(value);
  if (!('isAddress' in settings[name]) || !/^\w+:\/\//.test(value) || !URL.canParse(value)) return null;
  const { protocol, host, pathname } = new URL(value);
  return `${protocol}//${host}${pathname}`;
}

/** The settings in effect as text, one line per setting. */
export function describeConfig(environment: Environment): string {
  const width = Math.max(...settingNames.map((name) => name.length));
  const lines = publicSettings(environment).map(
    (setting) => `${setting.name.padEnd(width)}  ${describeSetting(setting, environment)}`,
  );
  return `${lines.join('\n')}\n`;
}

function describeSetting({ name, source, value }: PublicSetting, environment: Environment): string {
  if (source === 'unset') return '(not set)';
  if (source === 'file') return `(from the file ${environment[`${name}_FILE`]})`;
  if (source === 'default') return `${value}  (default)`;
  if (value === null) return '(set, hidden)';
  return isSecretValue(name, environment[name] ?? '') ? `${value}  (password hidden)` : value;
}
