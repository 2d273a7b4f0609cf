import { httpUrlForm, pasted, unwrap } from '@tallyhook/platform/pasted-forms';
import { z } from 'zod';
import { channelId, guildId, roleId } from '../../src/core/settings/value-schemas.ts';

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
  /** A text that may begin and end with quotation marks: its schema says what becomes of them. */
  readonly isFreeText?: true;
}

export function setting<Value>(setting: Setting<Value>): Setting<Value> {
  return setting;
}

/**
 * The value of a text that was pasted, or what is wrong with its form: null if what the setting expects says it all. A
 * message never has anything of the text.
 */
export function readSetting<Value>(
  { schema, isFreeText }: Setting<Value>,
  text: string,
): { readonly success: true; readonly data: Value } | { readonly success: false; readonly problem: string | null } {
  const result = schema.safeParse(isFreeText ? text : unwrap(text));
  if (result.success) return result;
  return {
    success: false,
    problem: result.error.issues.find(({ message }) => message.startsWith('it '))?.message ?? null,
  };
}

/** Settings that are explained together. */
export function group<Settings extends Readonly<Record<string, Setting>>>(title: string, settings: Settings) {
  return { title, settings };
}

export const text = z.string().min(1);

export { channelId, guildId, roleId };
export const expectedId = 'a Discord id, digits only: enable Developer Mode (Settings → Advanced) and use "Copy ID"';

export const httpUrl = pasted(httpUrlForm).transform((url) => url.replace(/(?<!\/)\/+$/, ''));

/** A whole number from `min` to `max`, written in digits only. */
export function digits(min: number, max: number): z.ZodType<number, string> {
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
