import { isSnowflake } from '../src/platform/snowflake.ts';
import type { CommandInput } from './command.ts';

/** The integer value of an option, clamped to its range; the fallback for any other value. */
export function integerOption(
  input: CommandInput,
  name: string,
  range: { min: number; max: number; fallback: number },
): number {
  const value = Number(input.options[name] ?? Number.NaN);
  return Number.isInteger(value) ? Math.min(range.max, Math.max(range.min, value)) : range.fallback;
}

/** The choice of an option; the fallback for any value that is not a choice. */
export function choiceOption<Choice extends string>(
  input: CommandInput,
  name: string,
  choices: readonly Choice[],
  fallback: Choice,
): Choice {
  return choices.find((choice) => choice === input.options[name]) ?? fallback;
}

/** The user id of an option; the fallback for a missing or invalid one. */
export function userOption(input: CommandInput, name: string, fallback: string): string {
  const value = input.options[name];
  return isSnowflake(value) ? value : fallback;
}
