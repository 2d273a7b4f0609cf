import type { ConfigIssue } from '@tallyhook/platform/invalid-config-error';
import { InvalidJsonError, parseJsonText } from '@tallyhook/platform/parse-json-text';
import { parseParts } from '@tallyhook/platform/parse-parts';
import { beyondAscii, headerSecretForm, pasted, secretForm } from '@tallyhook/platform/pasted-forms';
import { readTextFile, UnreadableFileError } from '@tallyhook/platform/text-file';
import { z } from 'zod';
import { custom } from '../src/core/settings/listing-settings.ts';
import { shapeOf } from '../src/core/settings/setting-spec.ts';
import { apiKey, guildId, id } from '../src/core/settings/value-schemas.ts';
import { settings } from '../src/features/settings.ts';
import { missingFor } from '../src/lookup/sites/site-apis.ts';
import { findSite, type SiteSettings, siteIds } from '../src/webhook/sites/index.ts';
import { keyBytes } from '../src/webhook/sites/scheme.ts';

/** The site of the document's service, which needs no name. */
const defaultSite = 'service';

const site = z
  .enum(siteIds, `it must be one of ${siteIds.join(', ')}`)
  .describe(
    'The [site](sites.md#the-sites) that it is on, such as `topgg`; the listing service with the lookup API otherwise.',
  );

type SiteFields = Partial<Pick<FileListing, 'siteKey' | 'slug' | 'confirm' | 'custom'>> & {
  readonly site?: string | undefined;
};
type ListingOfSite = SiteFields & Pick<FileListing, 'kind' | 'id' | 'voteSecrets' | 'premiumSecrets'>;

/** The site of a listing; undefined for the document's service. */
export function siteOf({ site: id, siteKey, slug, confirm = false, custom }: SiteFields): SiteSettings | undefined {
  if (id === undefined || id === defaultSite || (id === 'custom') !== (custom !== undefined)) return undefined;
  return { id, key: siteKey ?? null, slug: slug ?? null, confirm, ...(custom && { custom }) };
}

/** Why deliveries of a site that carry the secret in a header cannot match; null if they can. */
export function headerSecretProblem({
  site: settings,
  voteSecrets,
}: {
  readonly site?: SiteSettings | undefined;
  readonly voteSecrets: readonly string[];
}): Pick<ConfigIssue, 'problem' | 'hint'> | null {
  const site = settings && findSite(settings);
  const isInHeader = site?.schemes.some(({ type }) => type === 'token') === true;
  if (!isInHeader || voteSecrets.every((secret) => headerSecretForm.problem(secret) === null)) return null;
  const hint = `${site.name} sends it in a header: use letters and digits of ASCII, there as well.`;
  return { problem: `is invalid: ${beyondAscii}.`, hint };
}

const serviceFields = ['lookupKey', 'voteAuthorization'] as const;
const siteFields = ['siteKey', 'slug', 'confirm'] as const;

/** Issues with what a listing states of its site. @param setting where it is configured @param index among the listings */
export function siteIssues(
  listing: ListingOfSite & Partial<Pick<FileListing, (typeof serviceFields)[number]>>,
  setting: string,
  index: number,
): readonly ConfigIssue[] {
  const issues: ConfigIssue[] = [];
  const add = (field: string, problem: string, hint: string) =>
    issues.push({ setting: `${setting}.${field}`, problem, hint, path: ['listings', index, field] });
  const { site: id = defaultSite } = listing;
  if (id === 'custom' && listing.custom === undefined)
    add('custom', 'is missing.', 'Describe the site: the header with the secret, and the path of the voter.');
  if (id !== 'custom' && listing.custom !== undefined)
    add('custom', 'needs the site "custom".', 'Set site to "custom".');
  const settings = siteOf(listing);
  if (id === defaultSite) {
    for (const field of siteFields)
      if (listing[field] !== undefined) add(field, 'needs another site.', `Set site to one of ${siteIds.join(', ')}.`);
  }
  if (settings === undefined) return issues;
  const { name, schemes } = findSite(settings);
  const asked = { site: settings.id, kind: listing.kind, id: listing.id ?? null, key: settings.key };
  const missing = settings.confirm ? missingFor(asked) : null;
  if (missing === 'api')
    add('confirm', `needs a site that says who has voted for a ${listing.kind}, and ${name} does not.`, 'Remove it.');
  else if (missing !== null)
    add(
      missing === 'key' ? 'siteKey' : 'id',
      `is missing, and ${name} is to confirm votes.`,
      `Add ${missing === 'key' ? 'the API token of the listing' : 'its Discord ID'}, or remove confirm.`,
    );
  for (const field of serviceFields)
    if (listing[field] !== undefined)
      add(
        field,
        `is of the default site, and this listing is on ${name}.`,
        'Remove it, or move it to another listing.',
      );
  const secretProblem = headerSecretProblem({ site: settings, voteSecrets: listing.voteSecrets });
  if (secretProblem !== null) add('voteSecrets', secretProblem.problem, secretProblem.hint);
  if (listing.premiumSecrets.length > 0)
    add('premiumSecrets', `is not empty, but ${name} has no premium events.`, 'Remove it.');
  if (listing.voteSecrets.length === 0 && schemes.every(({ type }) => type !== 'none'))
    add('voteSecrets', 'is missing: every delivery would be rejected.', `Add the secret of the webhook at ${name}.`);
  const needsKey = schemes.some((scheme) => 'key' in scheme && scheme.key === 'base64');
  if (needsKey && listing.voteSecrets.some((secret) => keyBytes(secret, 'base64').length === 0))
    add(
      'voteSecrets',
      'has a secret of another form.',
      'Standard Webhooks have whsec_ and a key in base64: copy all of it.',
    );
  return issues;
}

const text = z.string().min(1);
const secret = pasted(secretForm);

/** The ends of the addresses `/webhooks/vote` and `/webhooks/premium`, which are of no listing in particular. */
const reservedNames = ['vote', 'premium'];

export const rewards = z.strictObject(shapeOf(settings, 'rewards.'));

const { timeZone, ownerChannelId, announceChannelId, premiumChannelId, cooldownHours, ...ofFeatures } = shapeOf(
  settings,
  '',
);

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
    .describe(
      'What people call it. By default its name in Discord, or else its name on the site; on the listing service the other way round.',
    ),
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
  siteKey: apiKey
    .optional()
    .describe(
      "The site's API token, with which tallyhook asks it who has voted, and sends [server counts](sites.md#server-counts).",
    ),
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

export const listings = listOf(listing);

/** The file that `TALLYHOOK_CONFIG` names. A listing inherits missing values from the environment variables. */
export const listingsFile = z.strictObject({
  $schema: z.string().optional().describe('Address of this schema, with which editors complete and check the file.'),
  listings: listings.describe('Each server and bot with its secrets, rewards and announcements.'),
});

/** Where the JSON Schema of the file is published: the file docs/tallyhook.schema.json of the repository. */
export const schemaAddress = 'https://raw.githubusercontent.com/tallyhook/tallyhook/main/docs/tallyhook.schema.json';

/** A listing in the file. Its cooldown is in hours. */
export type FileListing = z.infer<typeof listing>;

/** The JSON Schema of the file, for editors. @param describe what becomes of the Markdown of the descriptions */
export function listingsFileSchema(describe = plainText): object {
  const { $schema, ...schema } = z.toJSONSchema(listingsFile, {
    io: 'input',
    override({ zodSchema, jsonSchema }) {
      // zod leaves out the default of a value that it transforms, such as a duration.
      const { default: value } = z.globalRegistry.get(zodSchema) ?? {};
      if (value !== undefined) jsonSchema.default = value as typeof jsonSchema.default;
      if (jsonSchema.description !== undefined) jsonSchema.description = describe(jsonSchema.description);
    },
  });
  return { $schema, $id: schemaAddress, title: 'Listings of tallyhook (TALLYHOOK_CONFIG)', ...schema };
}

function plainText(markdown: string): string {
  return markdown.replaceAll(/\[([^[\]]+)\]\([^()]*\)/g, '$1').replaceAll('`', '');
}

/** Where a file is named, and what explains its format. */
export interface JsonFileSource {
  readonly path: string;
  /** The setting or the option that names the file. */
  readonly setting: string;
  /** Sentence that says where the format is described. */
  readonly formatHint: string;
}

/** The content of a JSON file; undefined if it is invalid. Issues are added to `issues`. */
export function parseJsonFile<Schema extends z.ZodType>(
  { path, setting, formatHint }: JsonFileSource,
  schema: Schema,
  issues: ConfigIssue[],
): z.output<Schema> | undefined {
  let json: unknown;
  try {
    json = parseJsonText(readTextFile(path));
  } catch (error) {
    const isUnreadable = error instanceof UnreadableFileError;
    if (!isUnreadable && !(error instanceof InvalidJsonError)) throw error;
    const problem = `points to ${path}, which ${isUnreadable ? error.problem : `is ${error.message}`}.`;
    issues.push({ setting, problem, hint: `${error.hint} ${formatHint}` });
    return undefined;
  }
  return parseParts(json, schema, { setting, noun: 'a setting', hint: `Correct the file. ${formatHint}` }, issues);
}
