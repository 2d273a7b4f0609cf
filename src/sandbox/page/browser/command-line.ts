import { type OptionContext, parseValue, type Value } from './option-values.ts';
import { parseTypedLine } from './typed-line.ts';

type Options = Readonly<Record<string, Value>>;

/** The command that a line sends, or an error message. */
export function parseCommandLine(
  line: string,
  context: OptionContext,
): { name: string; options: Options } | { error: string } {
  if (!line.startsWith('/')) return { error: 'Only slash commands are supported. Type / to list them.' };
  const typed = parseTypedLine(line, context.commands);
  if (typed.stage === 'command') return { error: `Unknown command: /${typed.prefix}` };
  if (typed.stage === 'subcommand') {
    return { error: `Choose one of: ${typed.subcommands.map(({ name }) => name).join(', ')}` };
  }
  if (typed.unparsed !== '') {
    return { error: `Start with the name of an option, as in ${typed.options[0]?.name ?? 'option'}:${typed.unparsed}` };
  }
  const options: Record<string, Value> = {};
  for (const option of typed.options) {
    const text = typed.values.get(option.name) ?? '';
    if (text === '' && option.required) return { error: `${option.name} is required` };
    if (text === '') continue;
    const value = parseValue(option, text, context);
    if (value === undefined) return { error: `Invalid value for ${option.name}: “${text}”` };
    options[option.name] = value;
  }
  return { name: typed.name, options };
}

/** The autocomplete request for a line; null unless the current option has autocomplete. */
export function autocompleteRequest(
  line: string,
  context: OptionContext,
): { name: string; options: Options; focused: { name: string; value: string } } | null {
  const typed = line.startsWith('/') ? parseTypedLine(line, context.commands) : null;
  if (typed?.stage !== 'options' || !typed.current?.autocomplete) return null;
  const { name, options, current: open, values } = typed;
  const entries = options.flatMap((option) => {
    const text = option.name === open.name ? '' : (values.get(option.name) ?? '');
    const value = text === '' ? undefined : parseValue(option, text, context);
    return value === undefined ? [] : [[option.name, value] as const];
  });
  return {
    name,
    options: Object.fromEntries(entries),
    focused: { name: open.name, value: values.get(open.name) ?? '' },
  };
}
