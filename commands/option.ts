import type { CommandInput } from './command.ts';

/** The whole number that an option holds, brought into its range; the fallback for anything else. */
export function wholeNumber(
  asked: CommandInput,
  name: string,
  range: { min: number; max: number; fallback: number },
): number {
  const given = Number(asked.options[name] ?? Number.NaN);
  return Number.isInteger(given) ? Math.min(range.max, Math.max(range.min, given)) : range.fallback;
}

/** The choice that an option holds; the fallback for anything that is none of the choices. */
export function choice<Choice extends string>(
  asked: CommandInput,
  name: string,
  choices: readonly Choice[],
  fallback: Choice,
): Choice {
  return choices.find((candidate) => candidate === asked.options[name]) ?? fallback;
}

/** The user's id that an option holds; the fallback where none was given. */
export function userId(asked: CommandInput, name: string, fallback: string): string {
  const given = asked.options[name];
  return typeof given === 'string' && /^\d{1,20}$/.test(given) ? given : fallback;
}
