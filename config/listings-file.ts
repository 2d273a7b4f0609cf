import { z } from 'zod';
import { snowflakePattern } from '../src/platform/snowflake.ts';
import { apiKey } from './settings.ts';

const id = z.string().regex(snowflakePattern, 'it must be a Discord id: a string of digits');
const text = z.string().min(1);
const credits = z.int().min(0).max(1_000_000);

const listing = z.strictObject({
  name: z
    .string()
    .regex(/^[\w.-]{1,32}$/, 'it must consist of at most 32 letters, digits, dots, dashes and underscores')
    .describe('Permanent name of the listing. The ledger stores it with each vote, so do not change it.'),
  kind: z.enum(['server', 'bot']),
  id: id
    .optional()
    .describe('Discord id of the server or bot. Required if several listings of the same kind share a secret.'),
  lookupKey: apiKey.optional().describe('API key of this listing.'),
  voteSecrets: z.array(text).default([]).describe('Secrets of its vote webhooks. All of them are valid.'),
  premiumSecrets: z.array(text).default([]).describe('Secrets of its premium webhooks. All of them are valid.'),
  voteAuthorization: text.optional().describe('Opt-in: accept unsigned server votes with this Authorization header.'),
  announceChannelId: id.optional(),
  premiumChannelId: id.optional(),
  creditsPerVote: credits.optional(),
  creditsPerPremium: credits.optional(),
  creditsWhenDenied: credits.optional(),
  cooldownHours: z.number().positive().max(8_760).optional(),
});

/** The file that `TALLYHOOK_CONFIG` names. A listing inherits missing values from the environment variables. */
export const listingsFile = z.strictObject({
  $schema: z.string().optional(),
  listings: z
    .array(listing)
    .min(1)
    .refine((all) => new Set(all.map(({ name }) => name)).size === all.length, 'two listings have the same name'),
});

/** A listing in the file. Its cooldown is in hours. */
export type FileListing = z.infer<typeof listing>;

/** The JSON Schema of the file, for editors. */
export function listingsFileSchema(): object {
  return z.toJSONSchema(listingsFile, { io: 'input' });
}
