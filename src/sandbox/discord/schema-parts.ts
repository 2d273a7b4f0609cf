import { z } from 'zod';
import { snowflakePattern } from '../../platform/snowflake.ts';

/**
 * Parts of the schemas of messages, components and modals. Lengths count UTF-16 code units, which is at least as strict as Discord.
 */

export const snowflake = z.string().regex(snowflakePattern);
export const text = (max: number) => z.string().trim().max(max);
export const requiredText = (max: number) => z.string().trim().min(1).max(max);

export const url = z
  .string()
  .max(2048)
  .superRefine((value, context) => {
    if (/^attachment:\/\/\S+$/.test(value)) return;
    if (!URL.canParse(value)) addIssue(context, [], 'URL_TYPE_INVALID_URL', 'Not a well formed URL.');
    else if (!['http:', 'https:'].includes(new URL(value).protocol)) {
      addIssue(context, [], 'URL_TYPE_INVALID_SCHEME', "Scheme must be one of ('http', 'https').");
    }
  });

/** Adds an issue with a Discord error code. */
export function addIssue(context: z.RefinementCtx, path: PropertyKey[], code: string, message: string): void {
  context.addIssue({ code: 'custom', path, message, params: { code }, input: context.value });
}
