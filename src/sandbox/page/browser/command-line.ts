import { type KnownValues, typedValue, type Value } from './option-values.ts';
import { readLine } from './typed-line.ts';

type Options = Readonly<Record<string, Value>>;

/** What a line would send, or what is wrong with it. */
export function understand(line: string, known: KnownValues): { name: string; options: Options } | { error: string } {
  if (!line.startsWith('/')) return { error: 'Only commands work here. Type / to see them.' };
  const typed = readLine(line, known.commands);
  if (typed.stage === 'command') return { error: `There is no command /${typed.word}` };
  if (typed.stage === 'subcommand') {
    return { error: `Choose one of: ${typed.nested.map(({ name }) => name).join(', ')}` };
  }
  if (typed.rest !== '') {
    return { error: `Name the option first, as in ${typed.options[0]?.name ?? 'option'}:${typed.rest}` };
  }
  const options: Record<string, Value> = {};
  for (const option of typed.options) {
    const text = typed.values.get(option.name) ?? '';
    if (text === '' && option.required) return { error: `${option.name} is required` };
    if (text === '') continue;
    const value = typedValue(option, text, known);
    if (value === undefined) return { error: `${option.name} cannot be “${text}”` };
    options[option.name] = value;
  }
  return { name: typed.name, options };
}

/** What the bot has to be asked to complete; null unless an option is being typed that it completes. */
export function toComplete(
  line: string,
  known: KnownValues,
): { name: string; options: Options; focused: { name: string; value: string } } | null {
  const typed = line.startsWith('/') ? readLine(line, known.commands) : null;
  if (typed?.stage !== 'options' || !typed.open?.autocomplete) return null;
  const { name, options, open, values } = typed;
  const given = options.flatMap((option) => {
    const text = option.name === open.name ? '' : (values.get(option.name) ?? '');
    const value = text === '' ? undefined : typedValue(option, text, known);
    return value === undefined ? [] : [[option.name, value] as const];
  });
  return { name, options: Object.fromEntries(given), focused: { name: open.name, value: values.get(open.name) ?? '' } };
}
