import { z } from 'zod';
import { missingFor } from '../src/lookup/sites/site-apis.ts';
import type { ConfigIssue } from '../src/platform/invalid-config-error.ts';
import { beyondAscii, headerSecretForm } from '../src/platform/pasted-forms.ts';
import type { DescribedSite } from '../src/webhook/sites/described-site.ts';
import { decodeKey } from '../src/webhook/sites/signed-content.ts';
import { findSite, type SiteSettings, siteIds } from '../src/webhook/sites/site-settings.ts';

const path = z.string().regex(/^[^.\s]+(\.[^.\s]+)*$/, 'it must be names of fields joined by dots, such as user.id');
const condition = z.strictObject({
  field: path.describe('Path of a field in the body.'),
  is: z.union([z.string().min(1), z.boolean()]).describe('Its value: a text, `true` or `false`.'),
});

/** The site of the document's service, which needs no name. */
export const defaultSite = 'service';

/** The value of `site`. */
export const site = z
  .enum(siteIds, `it must be one of ${siteIds.join(', ')}`)
  .describe(
    'The [site](sites.md#the-sites) that it is on, such as `topgg`; the listing service with the lookup API otherwise.',
  );

const header = z.string().regex(/^[\w-]{1,64}$/, 'it must be the name of a header');

const hmac = z
  .strictObject({
    scheme: z.literal('hmac-sha256'),
    header: header.describe('The header with the signature.'),
    prefix: z.string().min(1).max(64).optional().describe('What precedes the digest there, such as `sha256=`.'),
    encoding: z.enum(['hex', 'base64']).optional().describe('Of the digest; `hex` otherwise.'),
    signed: z
      .string()
      .max(200)
      .refine((text) => text.split('{body}').length === 2, 'it must contain {body} once')
      .refine((text) => !/\{(?!(?:body|timestamp)\})/.test(text), 'it knows {body} and {timestamp} alone')
      .optional()
      .describe('What is signed: a text with `{body}` and perhaps `{timestamp}`, such as `{timestamp}.{body}`.'),
    timestamp: z
      .strictObject({ header, unit: z.enum(['s', 'ms']) })
      .optional()
      .describe('The header with the signed time, and its `unit`, `s` or `ms` since the epoch.'),
  })
  .refine(({ signed = '', timestamp }) => timestamp !== undefined || !signed.includes('{timestamp}'), {
    path: ['timestamp'],
    error: 'signed contains {timestamp}, so state the header that has it, and its unit',
  })
  .refine(({ signed = '', timestamp }) => timestamp === undefined || signed.includes('{timestamp}'), {
    path: ['signed'],
    error: 'it must contain {timestamp}, because the time of timestamp.header is worth nothing unless it is signed',
  })
  .refine((described) => described.timestamp?.header.toLowerCase() !== described.header.toLowerCase(), {
    path: ['timestamp', 'header'],
    error: 'it must be another header than that of the signature',
  });

const signature = z
  .discriminatedUnion('scheme', [z.strictObject({ scheme: z.literal('standard-webhooks') }), hmac])
  .describe(
    'How deliveries are [signed](sites.md#what-the-site-says-and-what-to-set); without it they carry the secret.',
  );

/** The value of `custom`. */
export const custom = z
  .strictObject({
    name: z.string().min(1).max(80).describe('Shown to members.'),
    page: z
      .url({ protocol: /^https$/, error: 'it must be an https address' })
      .optional()
      .describe('Address of the vote page; `{id}` and `{slug}` are replaced.'),
    header: header.optional().describe('The header whose value is the secret; `authorization` otherwise.'),
    signature: signature.optional(),
    user: path.describe("Path of the voter's Discord id in the body: `user.id`."),
    target: path.optional().describe('Path of the Discord id of the server or bot.'),
    test: condition.optional().describe('What the body of a test has: a `field`, and what it `is`.'),
    vote: condition.optional().describe('The same of a vote. Bodies with another value there are ignored.'),
    time: path.optional().describe('Path of the time of the vote, in ISO 8601.'),
    id: path.optional().describe("Path of the site's own id of the vote."),
  })
  .refine((described) => described.header === undefined || described.signature === undefined, {
    path: ['header'],
    error: 'it is for a secret in a header, and signature has a header of its own: remove one of them',
  })
  .transform(({ page = null, ...described }): DescribedSite => ({ page, ...described }))
  .describe('Description of a site that tallyhook does not know, for the site `custom`.');

/** What a listing states of its site. */
interface SiteFields {
  readonly site?: string | undefined;
  readonly siteKey?: string | undefined;
  readonly slug?: string | undefined;
  readonly confirm?: boolean | undefined;
  readonly custom?: DescribedSite | undefined;
}

interface ListingOfSite extends SiteFields {
  readonly kind: 'server' | 'bot';
  readonly id?: string | undefined;
  readonly voteSecrets: readonly string[];
  readonly premiumSecrets: readonly string[];
  readonly lookupKey?: string | undefined;
  readonly voteAuthorization?: string | undefined;
}

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

/** Fields that are of the document's service alone. */
const serviceFields = ['lookupKey', 'voteAuthorization'] as const;
/** Fields that are of the other sites alone. */
const siteFields = ['siteKey', 'slug', 'confirm'] as const;

/**
 * Issues with what a listing states of its site.
 * @param setting where it is configured @param position leads to the listing
 */
export function siteIssues(
  listing: ListingOfSite,
  setting: string,
  position: readonly (string | number)[] = [],
): readonly ConfigIssue[] {
  const issues: ConfigIssue[] = [];
  const add = (field: string, problem: string, hint: string) =>
    issues.push({ setting: `${setting}.${field}`, problem, hint, path: [...position, field] });
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
  if (needsKey && listing.voteSecrets.some((secret) => decodeKey(secret).length === 0))
    add(
      'voteSecrets',
      'has a secret of another form.',
      'Standard Webhooks have whsec_ and a key in base64: copy all of it.',
    );
  return issues;
}
