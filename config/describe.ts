import { type Environment, sourceOf } from './read-values.ts';
import { settingNames, settings } from './settings.ts';

/** What is in force, a line per setting, secrets hidden. It shows faulty settings too: it is how one finds them. */
export function describeConfig(environment: Environment): string {
  const width = Math.max(...settingNames.map((name) => name.length));
  const lines = settingNames.map((name) => `${name.padEnd(width)}  ${shown(name, environment)}`);
  return `${lines.join('\n')}\n`;
}

function shown(name: (typeof settingNames)[number], environment: Environment): string {
  const setting = settings[name];
  switch (sourceOf(name, environment)) {
    case 'unset':
      return '(not set)';
    case 'default':
      return `${setting.default}  (default)`;
    case 'file':
      return `(from the file ${environment[`${name}_FILE`]})`;
    case 'environment':
      return 'secret' in setting ? hidden(environment[name] ?? '') : withoutPassword(environment[name] ?? '');
  }
}

/** No setting of this kind has a password in it, but an address takes one all the same. */
function withoutPassword(value: string): string {
  return value.replace(/^(\w+:\/\/)[^/@]*@/, '$1…@');
}

/** An address is worth seeing without its password; any other secret is not shown at all. */
function hidden(value: string): string {
  if (/^(sqlite|memory):/.test(value)) return value;
  if (!/^\w+:\/\//.test(value) || !URL.canParse(value)) return '(set, hidden)';
  const { protocol, host, pathname } = new URL(value);
  return `${protocol}//${host}${pathname}  (password hidden)`;
}
