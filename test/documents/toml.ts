/**
 * Reads the part of TOML that the documents use: tables, arrays of tables, and keys with strings, integers and booleans.
 * Throws on everything else, so that what passes is TOML.
 */
export function parseToml(text: string): Record<string, unknown> {
  const root: Record<string, unknown> = {};
  let table = root;
  for (const [index, raw] of text.split('\n').entries()) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) continue;
    const [, opening = '', path = ''] = /^(\[\[?)([a-z_.]+)\]{1,2}$/.exec(line) ?? [];
    const [, key = '', value = ''] = /^([A-Za-z_]+) = (.+)$/.exec(line) ?? [];
    if (path !== '' && line === `${opening}${path}${opening.replaceAll('[', ']')}`) {
      table = openTable(root, path.split('.'), opening === '[[');
    } else if (key !== '' && !(key in table) && /^(?:"(?:[^"\\]|\\.)*"|\d+|true|false)$/.test(value)) {
      table[key] = JSON.parse(value);
    } else {
      throw new Error(`Line ${index + 1} is not valid, or not supported here: ${line}`);
    }
  }
  return root;
}

function openTable(root: Record<string, unknown>, path: readonly string[], isArray: boolean): Record<string, unknown> {
  const parent = path.slice(0, -1).reduce<Record<string, unknown>>((table, name) => child(table, name), root);
  const name = path.at(-1) ?? '';
  const opened: Record<string, unknown> = {};
  if (isArray) parent[name] = [...((parent[name] as unknown[] | undefined) ?? []), opened];
  else if (name in parent) throw new Error(`The table ${path.join('.')} is defined twice.`);
  else parent[name] = opened;
  return opened;
}

function child(table: Record<string, unknown>, name: string): Record<string, unknown> {
  table[name] ??= {};
  const value = table[name];
  return (Array.isArray(value) ? value.at(-1) : value) as Record<string, unknown>;
}
