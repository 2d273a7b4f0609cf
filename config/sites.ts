import type { ConfigIssue } from '@tallyhook/platform/invalid-config-error';
import { beyondAscii, headerSecretForm } from '@tallyhook/platform/pasted-forms';
import { z } from 'zod';
import { missingFor } from '../src/lookup/sites/site-apis.ts';
import type { DescribedSite } from '../src/webhook/sites/described-site.ts';
import { decodeKey } from '../src/webhook/sites/scheme.ts';
import { findSite, type SiteSettings, siteIds } from '../src/webhook/sites/site-settings.ts';

/** The site of the document's service, which needs no name. */
export const defaultSite = 'service';

/** The value of `site`. */
export const site = z
  .enum(siteIds, `it must be one of ${siteIds.join(', ')}`)
  .describe(
    'The [site](sites.md#the-sites) that it is on, such as `topgg`; the listing service with the lookup API otherwise.',
  );

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
