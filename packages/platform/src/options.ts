import { z } from 'zod';
import type { Clock } from './clock.ts';
import { type ConfigIssue, InvalidConfigError } from './invalid-config-error.ts';
import type { Logger } from './logger.ts';
import { requireNode } from './node-version.ts';
import { type ParsedSource, parseParts } from './parse-parts.ts';

/** A function of the caller. */
export const callback = z.custom(isFunction, 'it must be a function');

/** An object that is used as it is, such as a cache. */
export const instance = z.custom<object>(
  (value) => typeof value === 'object' && value !== null,
  'it must be an object',
);

export const clock = withMethods<Clock>(
  ['now', 'monotonic', 'sleep', 'random'],
  'it must be a clock, as systemClock is',
);

export const log = withMethods<Logger>(
  ['debug', 'info', 'warn', 'error'],
  'it must be a logger with the functions debug, info, warn and error, as console is',
);

/**
 * Checks the options of a function that users of the package call: also unknown ones, so that a misspelled option is not
 * ignored.
 * @param caller the name of the function
 * @throws InvalidConfigError `invalid_options`, with all issues
 * @throws TallyhookError `node_too_old`
 */
export function checkOptions<Schema extends z.ZodType>(
  caller: string,
  options: unknown,
  schema: Schema,
  hint: ParsedSource['hint'] = 'Correct it.',
): z.output<Schema> {
  requireNode();
  const issues: ConfigIssue[] = [];
  const noun = `an option of ${caller}`;
  const parsed = parseParts(options, schema, { setting: '', noun, hint }, issues);
  if (parsed === undefined) throw new InvalidConfigError(issues, caller);
  return parsed;
}

function withMethods<Type>(names: readonly (keyof Type & string)[], message: string) {
  const hasAll = (value: unknown) =>
    typeof value === 'object' && value !== null && names.every((name) => isFunction(Reflect.get(value, name)));
  return z.custom<Type>(hasAll, message);
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function';
}
