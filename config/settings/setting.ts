import { z } from 'zod';
import { snowflakePattern } from '../../src/platform/snowflake.ts';

/** One setting: an environment variable, or `NAME_FILE` with the path of a file that holds its value. */
export interface Setting<Value = unknown> {
  readonly schema: z.ZodType<Value>;
  /** Description of a valid value; it completes the hint "Set it to …". */
  readonly expected: string;
  /** Text of the value if the setting is not set. */
  readonly default?: string;
  /** What a reader who needs it wants; it completes "I want …". */
  readonly wish: string;
  /** What it does, in Markdown; links are relative to `docs/`. */
  readonly description: string;
  /** One of the two with which a bot starts. */
  readonly isFirst?: true;
  /** Never shown or logged. */
  readonly secret?: true;
  /** Only the password of the URL is secret; the rest is shown. */
  readonly isAddress?: true;
}

export function setting<Value>(setting: Setting<Value>): Setting<Value> {
  return setting;
}

/** Settings that are explained together. */
export function group<Settings extends Readonly<Record<string, Setting>>>(title: string, settings: Settings) {
  return { title, settings };
}

export const text = z.string().min(1);

export const id = z.string().regex(snowflakePattern);
export const expectedId = 'a Discord id, digits only: enable Developer Mode (Settings → Advanced) and use "Copy ID"';

export const httpUrl = z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/(?<!\/)\/+$/, ''));

/** A whole number from `min` to `max`, written in digits only. */
export function digits(min: number, max: number): z.ZodType<number> {
  return z.string().regex(/^\d+$/).transform(Number).pipe(z.int().min(min).max(max));
}

/** A number with or without a fraction, written in digits and at most one point. */
export const decimal = z
  .string()
  .regex(/^\d+(\.\d+)?$/)
  .transform(Number);

/** Values separated by commas. */
export function listOf<Value extends string>(item: z.ZodType<Value, string>): z.ZodType<Value[], string> {
  return z
    .string()
    .transform((list) => list.split(',').map((each) => each.trim()))
    .pipe(z.array(item).min(1));
}
