import { z } from 'zod';
import { apiKey } from './settings.ts';

const id = z.string().regex(/^\d{1,20}$/, 'it must be a Discord id: a string of digits');
const text = z.string().min(1);
const credits = z.int().min(0).max(1_000_000);

const listing = z.strictObject({
  name: z
    .string()
    .regex(/^[\w.-]{1,32}$/, 'it must be of letters, digits, dots, dashes and underscores, at most 32')
    .describe('Names the listing for good: the ledger knows its votes by it.'),
  kind: z.enum(['server', 'bot']),
  id: id.optional().describe('Discord id of the server or bot; needed where listings of one kind share a secret.'),
  lookupKey: apiKey.optional().describe('API key of this listing.'),
  voteSecrets: z.array(text).default([]).describe('Secrets of its vote webhooks; all of them are valid.'),
  premiumSecrets: z.array(text).default([]).describe('Secrets of its premium webhooks.'),
  voteAuthorization: text.optional().describe('Opt-in: accept unsigned server votes with this Authorization value.'),
  announceChannelId: id.optional(),
  premiumChannelId: id.optional(),
  creditsPerVote: credits.optional(),
  creditsPerPremium: credits.optional(),
  creditsWhenDenied: credits.optional(),
  cooldownHours: z.number().positive().max(8_760).optional(),
});

/** The file that `TALLYHOOK_CONFIG` names. What a listing leaves out is taken from the variables of the same meaning. */
export const listingsFile = z.strictObject({
  $schema: z.string().optional(),
  listings: z
    .array(listing)
    .min(1)
    .refine((all) => new Set(all.map(({ name }) => name)).size === all.length, 'two listings have the same name'),
});

/** A listing as the file has it: the cooldown is in hours here. */
export type FileListing = z.infer<typeof listing>;

/** The JSON Schema of the file, for editors. */
export function listingsFileSchema(): object {
  return z.toJSONSchema(listingsFile, { io: 'input' });
}
