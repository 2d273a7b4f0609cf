import { headerSecretForm, pasted, secretForm } from '@tallyhook/platform/pasted-forms';
import { z } from 'zod';
import { custom } from '../src/core/settings/custom-site.ts';
import { shapeOf } from '../src/core/settings/setting-spec.ts';
import { apiKey, guildId, id } from '../src/core/settings/value-schemas.ts';
import { settings } from '../src/features/settings.ts';
import { site } from './sites.ts';

const text = z.string().min(1);
const secret = pasted(secretForm);

/** The ends of the addresses `/webhooks/vote` and `/webhooks/premium`, which are of no listing in particular. */
const reservedNames = ['vote', 'premium'];

/** `rewards` of a listing in the file. */
export const rewards = z.strictObject(shapeOf(settings, 'rewards.'));

const { timeZone, ownerChannelId, announceChannelId, premiumChannelId, cooldownHours, ...ofFeatures } = shapeOf(
  settings,
  '',
);

/** The schema of a listing in the file. */
export const listing = z.strictObject({
  name: z
    .string()
    .regex(/^[\w.-]{1,32}$/, 'it must consist of at most 32 letters, digits, dots, dashes and underscores')
    .refine((name) => !reservedNames.includes(name), 'it must not be "vote" or "premium", which are webhook addresses')
    .describe(
      'Permanent name: up to 32 letters, digits, dots, dashes and underscores. The ledger stores it with each vote, so do not change it.',
    ),
  kind: z.enum(['server', 'bot']).describe('`server` or `bot`.'),
  title: z
    .string()
    .trim()
    .min(1)
    .max(60)
    .optional()
    .describe('What people call it. By default its name on the site, or else its name in Discord.'),
  site: site.optional(),
  id: id
    .optional()
    .describe('Discord id of the server or bot. Needed if several listings of the same kind share a secret.'),
  guildId: guildId
    .optional()
    .describe(
      'Discord id of the server (guild), where roles are given. Without both settings it is the `id` of the server listing, for a bot if there is only one such server. `DISCORD_GUILD_ID` otherwise.',
    ),
  timeZone,
  ownerChannelId,
  lookupKey: apiKey.optional().describe('API key of this listing.'),
  siteKey: apiKey.optional().describe("The site's API token, with which tallyhook asks it who has voted."),
  slug: text.optional().describe('Name of the listing at the site, if the address of its vote page needs it.'),
  confirm: z.boolean().optional().describe('`true`: a vote is paid when the site says that the member has voted.'),
  custom: custom.optional(),
  voteSecrets: z.array(secret).default([]).describe('Secrets of its vote webhook. Several are valid at once.'),
  premiumSecrets: z.array(secret).default([]).describe('Secrets of its premium webhook. Several are valid at once.'),
  voteAuthorization: pasted(headerSecretForm)
    .optional()
    .describe('Accept unsigned server votes with exactly this Authorization header.'),
  ownAddress: z
    .boolean()
    .optional()
    .describe('`true`: its secrets are valid at its own address only, `/webhooks/<name>`, and not at the shared ones.'),
  announceChannelId,
  premiumChannelId,
  cooldownHours,
  rewards: rewards.optional().describe('What votes and premium earn, see [Rewards](#rewards).'),
  announcements: z
    .strictObject(shapeOf(settings, 'announcements.'))
    .optional()
    .describe('What is announced, and how, see [Announcements](#announcements).'),
  ...ofFeatures,
});

/** Listings of this schema, at least one. */
export function listOf<Listing extends z.ZodType<{ readonly name: string }>>(schema: Listing) {
  return z
    .array(schema)
    .min(1)
    .superRefine((all, context) => {
      const names = all.map(({ name }) => name);
      const repeated = names.find((name, index) => names.indexOf(name) < index);
      if (repeated === undefined) return;
      context.addIssue({ code: 'custom', message: `two listings have the same name, ${JSON.stringify(repeated)}` });
    });
}

/** The file that `TALLYHOOK_CONFIG` names. A listing inherits missing values from the environment variables. */
export const listingsFile = z.strictObject({
  $schema: z.string().optional(),
  listings: listOf(listing),
});

/** A listing in the file. Its cooldown is in hours. */
export type FileListing = z.infer<typeof listing>;

/** The JSON Schema of the file, for editors. @param describe what becomes of the Markdown of the descriptions */
export function listingsFileSchema(describe = plainText): object {
  return z.toJSONSchema(listingsFile, {
    io: 'input',
    override({ zodSchema, jsonSchema }) {
      // zod leaves out the default of a value that it transforms, such as a duration.
      const { default: value } = z.globalRegistry.get(zodSchema) ?? {};
      if (value !== undefined) jsonSchema.default = value as typeof jsonSchema.default;
      if (jsonSchema.description !== undefined) jsonSchema.description = describe(jsonSchema.description);
    },
  });
}

/** Markdown without marks of code and links. */
function plainText(markdown: string): string {
  return markdown.replaceAll(/\[([^[\]]+)\]\([^()]*\)/g, '$1').replaceAll('`', '');
}
