import { type Finding, fail, pass, warn } from '@tallyhook/platform/doctor/check';
import type { Config, ListingConfig } from '../../../config/schema.ts';
import { minOwnerTokenLength } from '../../../config/settings.ts';
import { findSite } from '../../webhook/sites/index.ts';
import { type Site, trustOf } from '../../webhook/sites/site.ts';

/** Shorter secrets can be guessed from one captured delivery (characters). */
const minSecretLength = 16;
const dashboardHint = 'Copy it again from the dashboard of the service.';

/** A webhook secret, and a label without the secret itself. */
interface WebhookSecret {
  readonly secret: string;
  readonly label: string;
}

/** Checks the webhook secrets and the owner token without sending a request. */
export function evaluateSecrets({
  listings,
  discord,
  ownerToken,
}: Pick<Config, 'listings' | 'discord' | 'ownerToken'>): Finding[] {
  const voteSecrets = labelSecrets(listings, 'vote', (listing) => listing.voteSecrets);
  const premiumSecrets = labelSecrets(listings, 'premium', (listing) => listing.premiumSecrets);
  const otherSecrets = [
    ...listings.map(({ name, lookupKey }) => ({ secret: lookupKey, label: `the API key of ${name}` })),
    { secret: discord.token, label: 'the bot token' },
    { secret: ownerToken, label: 'OWNER_TOKEN' },
  ];
  const findings = [
    ...evaluatePresence(listings.filter(({ linked }) => !linked)),
    ...[...voteSecrets, ...premiumSecrets].flatMap((webhookSecret) => [
      ...evaluateFormat(webhookSecret),
      ...evaluateConfusion(webhookSecret, otherSecrets),
    ]),
    ...evaluateReuse(voteSecrets, premiumSecrets),
    ...(ownerToken !== null && ownerToken.length < minOwnerTokenLength ? [shortOwnerToken] : []),
  ];
  if (findings.length > 0 || voteSecrets.length + premiumSecrets.length === 0) return findings;
  return [pass('The webhook secrets are configured and look valid.')];
}

/** Distinct secrets: listings may share one, which is then reported once. */
function labelSecrets(
  listings: readonly ListingConfig[],
  family: string,
  secretsOf: (listing: ListingConfig) => readonly string[],
): WebhookSecret[] {
  const distinct = [...new Set(listings.flatMap(secretsOf))];
  return distinct.map((secret) => {
    const users = listings.filter((listing) => secretsOf(listing).includes(secret));
    const names = users.map(({ name }) => name).join(' and ');
    // The position in the list, if the list has several secrets and the position is the same for all listings.
    const positions = new Set(
      users.map(secretsOf).map((secrets) => (secrets.length > 1 ? secrets.indexOf(secret) + 1 : 0)),
    );
    const position = positions.size === 1 && !positions.has(0) ? ` number ${[...positions].join()}` : '';
    return { secret, label: `The ${family} secret${position} of ${names}` };
  });
}

/** @param listings of the operator: who links one in Discord is shown its secret */
function evaluatePresence(listings: readonly ListingConfig[]): Finding[] {
  if (listings.length === 0) return [];
  const acceptsUnsigned = listings.some(({ voteAuthorization }) => voteAuthorization !== null);
  const findings: Finding[] = [];
  if (listings.every(({ voteSecrets }) => voteSecrets.length === 0) && !acceptsUnsigned) {
    const hint = 'Set VOTE_WEBHOOK_SECRET to the secret from the dashboard of the service.';
    findings.push(fail('No vote secret is configured, so every vote is rejected.', hint));
  }
  // Other sites have no premium events.
  const ofService = listings.filter(({ site }) => site === undefined);
  if (ofService.length > 0 && ofService.every(({ premiumSecrets }) => premiumSecrets.length === 0)) {
    const hint = 'To receive them, set PREMIUM_WEBHOOK_SECRET.';
    findings.push(warn('No premium secret is configured, so premium events are rejected.', hint));
  }
  return findings;
}

function evaluateFormat({ secret, label }: WebhookSecret): Finding[] {
  if (secret.length < minSecretLength) {
    const message = `${label} is shorter than ${minSecretLength} characters, so it can be guessed from one delivery.`;
    return [warn(message, `Use at least ${minSecretLength} random characters, in the dashboard as well.`)];
  }
  return [];
}

/** Reports a webhook secret that was confused with a different secret. */
function evaluateConfusion(
  { secret, label }: WebhookSecret,
  otherSecrets: readonly { readonly secret: string | null; readonly label: string }[],
): Finding[] {
  const identical = otherSecrets.find((other) => other.secret === secret);
  if (identical !== undefined) {
    return [fail(`${label} is ${identical.label}. Deliveries are signed with a different secret.`, dashboardHint)];
  }
  const similar = otherSecrets.find((other) => other.secret !== null && isSimilar(other.secret, secret));
  if (similar === undefined) return [];
  return [warn(`${label} looks like ${similar.label}: same prefix and same length.`, dashboardHint)];
}

/** Keys of one kind often have the same prefix, such as `sk_…`, and the same length. */
function isSimilar(one: string, other: string): boolean {
  const prefix = /^[A-Za-z]+[_-]/.exec(one)?.[0];
  return prefix !== undefined && other.startsWith(prefix) && one.length === other.length;
}

function evaluateReuse(voteSecrets: readonly WebhookSecret[], premiumSecrets: readonly WebhookSecret[]): Finding[] {
  const hint = 'Unless the service uses one secret for both, copy each from its section of the dashboard.';
  return voteSecrets
    .filter(({ secret }) => premiumSecrets.some((premium) => premium.secret === secret))
    .map(({ label }) => warn(`${label} is a premium secret as well: a sender of votes could send purchases.`, hint));
}

const shortOwnerToken = warn(
  `OWNER_TOKEN has fewer than ${minOwnerTokenLength} characters, so it can be guessed.`,
  'Set a long random value, such as the output of `openssl rand -hex 32`.',
);

const tokenHint =
  'Use a long random secret that is used nowhere else, and replace it if anybody may have seen a request.';
const captureHint = 'Remove the listing when you have seen what the site sends.';

/** How strong the schemes of the listings on other sites are; nothing without any. */
export function evaluateSites(listings: readonly Pick<ListingConfig, 'name' | 'site'>[]): Finding[] {
  const onSites = listings.flatMap(({ name, site }) => (site === undefined ? [] : [{ name, site: findSite(site) }]));
  return [...Map.groupBy(onSites, ({ site }) => site.name).values()].flatMap((group) => {
    const [first] = group;
    return first === undefined ? [] : evaluateSite(joinNames(group.map(({ name }) => name)), first.site);
  });
}

/** Listings that are named. */
const maxNamed = 10;

function joinNames(names: readonly string[]): string {
  const more = names.length - maxNamed;
  const named = more > 0 ? [...names.slice(0, maxNamed), `${more} more`] : names;
  return new Intl.ListFormat('en').format(named);
}

function evaluateSite(listing: string, site: Site): Finding {
  switch (trustOf(site)) {
    case 'signed':
      return pass(`Votes of ${listing} on ${site.name} are signed.`);
    case 'token': {
      const problem = 'carry a token: whoever sees one request can forge votes.';
      return warn(`Votes of ${listing} on ${site.name} ${problem}`, tokenHint);
    }
    case 'none':
      return warn(`Whatever is sent to the address of ${listing} is stored, and pays nothing.`, captureHint);
  }
}
