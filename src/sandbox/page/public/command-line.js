/**
 * The line in which a command is typed: `/reviews sort:highest limit:5`. Reads it, and says what could come next.
 * Everything in here is pure; the composer draws it.
 *
 * @typedef {{ label: string, hint: string, insert: string, certain: boolean }} Suggestion
 *   `insert` is the whole line after the suggestion was taken; a `certain` one is highlighted at once.
 */

const type = { subcommand: 1, group: 2, string: 3, integer: 4, boolean: 5, user: 6, channel: 7, role: 8, number: 10 };

/**
 * What could come next.
 *
 * @param {string} line
 * @param {object} state the store's state: commands, members, channels, roles
 * @returns {Suggestion[]}
 */
export function suggest(line, state) {
  if (!line.startsWith('/')) return [];
  const typed = read(line, state);
  if (typed.command === null) return suggestCommands(typed.word, state);
  if (typed.nested.length > 0) return suggestSubcommands(typed);
  if (typed.open !== null) return suggestValues(typed, state);
  return suggestOptions(typed);
}

/**
 * What a line would send, or what is wrong with it.
 *
 * @param {string} line
 * @param {object} state
 * @returns {{ name: string, options: Record<string, string | number | boolean> } | { error: string }}
 */
export function understand(line, state) {
  if (!line.startsWith('/')) return { error: 'Only commands work here. Type / to see them.' };
  const typed = read(line, state);
  if (typed.command === null) return { error: `There is no command ${line.split(' ')[0]}` };
  if (typed.nested.length > 0) return { error: `Choose one of: ${typed.nested.map(({ name }) => name).join(', ')}` };
  if (typed.rest !== '')
    return { error: `Name the option first, as in ${typed.options[0]?.name ?? 'option'}:${typed.rest}` };
  const options = {};
  for (const option of typed.options) {
    const text = typed.values.get(option.name);
    if (text === undefined || text === '') {
      if (option.required) return { error: `${option.name} is required` };
      continue;
    }
    const value = typedValue(option, text, state);
    if (value === undefined) return { error: `${option.name} cannot be “${text}”` };
    options[option.name] = value;
  }
  return { name: [typed.command.name, ...typed.path].join(' '), options };
}

/**
 * What the bot has to be asked to complete, if an option is being typed that it completes.
 *
 * @returns {{ name: string, options: object, focused: { name: string, value: string } } | null}
 */
export function toComplete(line, state) {
  if (!line.startsWith('/')) return null;
  const { command, nested, open, options, values, path } = read(line, state);
  if (!command || nested.length > 0 || !open?.autocomplete) return null;
  const others = options.filter(({ name }) => name !== open.name && values.get(name));
  const given = others.map((option) => [option.name, typedValue(option, values.get(option.name), state)]);
  return {
    name: [command.name, ...path].join(' '),
    options: Object.fromEntries(given.filter(([, value]) => value !== undefined)),
    focused: { name: open.name, value: values.get(open.name) ?? '' },
  };
}

/**
 * What the bot offered, as suggestions.
 *
 * @param {{ name: string, value: string | number }[]} choices
 * @returns {Suggestion[]}
 */
export function suggestCompletions(line, choices, state) {
  const { open, values, head } = read(line, state);
  const others = new Map([...values].filter(([name]) => name !== open.name));
  const before = `${writtenValues(head, others)}${open.name}:`;
  return choices.map(({ name }) => ({ label: name, hint: '', insert: `${before}${name} `, certain: true }));
}

/** Takes a line apart as far as it has been typed. */
function read(line, { commands }) {
  const [, word, after] = /^\/(\S*)([\s\S]*)$/.exec(line) ?? [line, '', ''];
  const command = after === '' ? null : (commands.find(({ name }) => name === word) ?? null);
  if (command === null) return { word, command };
  const path = [];
  let options = command.options ?? [];
  let rest = after.trimStart();
  let head = `/${word} `;
  while (options.some(isNesting)) {
    const [, name, more] = /^(\S*)(\s?[\s\S]*)$/.exec(rest) ?? [rest, '', ''];
    const chosen = more === '' ? undefined : options.find((option) => option.name === name);
    if (chosen === undefined) return { word: name, command, path, head, nested: options };
    path.push(name);
    options = chosen.options ?? [];
    head += `${name} `;
    rest = more.trimStart();
  }
  return { command, path, options, nested: [], head, ...readValues(rest, options) };
}

/** Splits `sort:highest limit:5` at the names of the options. `open` is the option whose value is being typed. */
function readValues(text, options) {
  const values = new Map();
  const pattern = new RegExp(`(?:^|\\s)(${options.map(({ name }) => escaped(name)).join('|') || '(?!)'}):`, 'giu');
  const marks = [...text.matchAll(pattern)];
  for (const [index, mark] of marks.entries()) {
    const end = marks[index + 1]?.index ?? text.length;
    values.set(mark[1].toLowerCase(), text.slice(mark.index + mark[0].length, end).trim());
  }
  const last = marks.at(-1);
  const open = last === undefined || /\s$/.test(text.trimStart()) ? null : last[1].toLowerCase();
  const rest = text.slice(0, marks[0]?.index ?? text.length).trim();
  return { values, open: options.find(({ name }) => name === open) ?? null, rest };
}

function suggestCommands(word, { commands }) {
  const found = commands.filter(({ name }) => name.startsWith(word.toLowerCase()));
  return found.map(({ name, description }) => ({
    label: `/${name}`,
    hint: description,
    insert: `/${name} `,
    certain: true,
  }));
}

function suggestSubcommands({ word, nested, head }) {
  return nested
    .filter(({ name }) => name.startsWith(word.toLowerCase()))
    .map(({ name, description }) => ({ label: name, hint: description, insert: `${head}${name} `, certain: true }));
}

function suggestOptions({ options, values, head, rest }) {
  const written = writtenValues(head, values);
  return options
    .filter(({ name }) => !values.has(name) && name.startsWith(rest.toLowerCase()))
    .map(({ name, description, required }) => ({
      label: `${name}:`,
      hint: required ? `${description} (required)` : description,
      insert: `${written}${name}:`,
      certain: Boolean(required) || rest !== '',
    }));
}

function suggestValues({ open, values, head }, state) {
  const typed = (values.get(open.name) ?? '').toLowerCase();
  const others = new Map([...values].filter(([name]) => name !== open.name));
  const before = `${writtenValues(head, others)}${open.name}:`;
  return choicesOf(open, state)
    .filter(({ text, also }) => `${text}\n${also}`.toLowerCase().includes(typed.replace(/^[@#]/, '')))
    .slice(0, 25)
    .map(({ text, also }) => ({ label: text, hint: also, insert: `${before}${text} `, certain: true }));
}

function writtenValues(head, values) {
  return head + [...values].map(([name, text]) => `${name}:${text} `).join('');
}

/** The values that can be picked for an option, and what else they are called. */
function choicesOf(option, { members, channels, roles }) {
  if (option.choices?.length) return option.choices.map(({ name }) => ({ text: name, also: '' }));
  switch (option.type) {
    case type.user:
      return members.map(({ name, username }) => ({ text: `@${name}`, also: username }));
    case type.channel:
      return channels.filter((channel) => channel.with === null).map(({ name }) => ({ text: `#${name}`, also: '' }));
    case type.role:
      return roles.map(({ name }) => ({ text: `@${name.replace(/^@/, '')}`, also: '' }));
    case type.boolean:
      return ['true', 'false'].map((text) => ({ text, also: '' }));
    default:
      return [];
  }
}

function typedValue(option, text, { members, channels, roles, completed }) {
  const wanted = text.toLowerCase();
  const offered = option.autocomplete ? completed?.get(`${option.name}:${wanted}`) : undefined;
  if (offered !== undefined) return offered;
  if (option.choices?.length) {
    return option.choices.find(({ name, value }) => name.toLowerCase() === wanted || String(value) === text)?.value;
  }
  const name = wanted.replace(/^<?[@#][!&]?/, '').replace(/>$/, '');
  const idOf = (named) =>
    named.find((each) => [each.name, each.username, each.id].some((word) => word?.toLowerCase() === name))?.id;
  switch (option.type) {
    case type.integer:
    case type.number:
      return numberWithin(option, Number(text));
    case type.boolean:
      return { true: true, false: false }[wanted];
    case type.user:
      return idOf(members);
    case type.channel:
      return idOf(channels);
    case type.role:
      return idOf(roles);
    default:
      return text;
  }
}

function numberWithin({ type: kind, min_value, max_value }, value) {
  const fits = kind === type.integer ? Number.isSafeInteger(value) : Number.isFinite(value);
  return fits && value >= (min_value ?? -Infinity) && value <= (max_value ?? Infinity) ? value : undefined;
}

function isNesting(option) {
  return option.type === type.subcommand || option.type === type.group;
}

function escaped(text) {
  return text.replaceAll(/[-/\\^$*+?.()|[\]{}]/g, '\\$&');
}
