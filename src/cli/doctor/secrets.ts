import type { Config, ListingConfig } from '../../../config/schema.ts';
import { minOwnerTokenLength } from '../../../config/settings.ts';
import { type Finding, fail, pass, warn } from './finding.ts';

/** Shorter ones can be guessed from one captured delivery (characters). */
const shortest = 16;
const fromDashboard = "Copy it anew from the service's dashboard.";

/** Where a secret is configured. The secret itself is never told. */
interface Held {
  readonly secret: string;
  readonly label: string;
}

/** Judges the secrets of webhooks and the owner's token by their looks alone. */
export function evaluateSecrets({ listings, discord, ownerToken }: Config): Finding[] {
  const votes = held(listings, 'vote', ({ voteSecrets }) => voteSecrets);
  const premium = held(listings, 'premium', ({ premiumSecrets }) => premiumSecrets);
  const others = [
    ...listings.map(({ name, lookupKey }) => ({ secret: lookupKey, label: `the API key of ${name}` })),
    { secret: discord.token, label: 'the bot token' },
    { secret: ownerToken, label: 'OWNER_TOKEN' },
  ];
  const findings = [
    ...judgePresence(listings, votes, premium),
    ...[...votes, ...premium].flatMap((each) => [...judgeLooks(each), ...judgeMistaken(each, others)]),
    ...judgeShared(votes, premium),
    ...(ownerToken !== null && ownerToken.length < minOwnerTokenLength ? [shortOwnerToken] : []),
  ];
  return findings.length > 0 ? findings : [pass('The webhook secrets are there and look right.')];
}

/** Listings may share a secret; it is judged once. */
function held(
  listings: readonly ListingConfig[],
  family: string,
  of: (listing: ListingConfig) => readonly string[],
): Held[] {
  const distinct = [...new Set(listings.flatMap(of))];
  return distinct.map((secret) => {
    const holders = listings.filter((listing) => of(listing).includes(secret));
    const names = holders.map(({ name }) => name).join(' and ');
    const places = new Set(holders.map((listing) => (of(listing).length > 1 ? of(listing).indexOf(secret) + 1 : 0)));
    const place = places.size === 1 && !places.has(0) ? ` number ${[...places].join()}` : '';
    return { secret, label: `The ${family} secret${place} of ${names}` };
  });
}

function judgePresence(
  listings: readonly ListingConfig[],
  votes: readonly Held[],
  premium: readonly Held[],
): Finding[] {
  const isOpen = listings.some(({ voteAuthorization }) => voteAuthorization !== null);
  return [
    ...(votes.length === 0 && !isOpen
      ? [
          fail(
            'No vote secret is configured: every vote is refused.',
            'Set VOTE_WEBHOOK_SECRET to the secret from the dashboard.',
          ),
        ]
      : []),
    ...(premium.length === 0
      ? [
          warn(
            'No premium secret is configured: premium events are refused.',
            'If you want them, set PREMIUM_WEBHOOK_SECRET.',
          ),
        ]
      : []),
  ];
}

function judgeLooks({ secret, label }: Held): Finding[] {
  if (secret.trim() !== secret) return [fail(`${label} begins or ends with white space.`, fromDashboard)];
  if (/^(["'`]).*\1$/.test(secret)) {
    return [warn(`${label} stands in quotation marks, and they count.`, 'Remove them if the dashboard shows none.')];
  }
  if (/^https?:\/\//i.test(secret)) return [fail(`${label} is an address and no secret.`, fromDashboard)];
  if (secret.length < shortest) {
    const found = `${label} is shorter than ${shortest} characters: who sees one delivery can guess it.`;
    return [warn(found, `Choose one of at least ${shortest} random characters, in the dashboard too.`)];
  }
  return [];
}

/** Something else was pasted in its place. */
function judgeMistaken(
  { secret, label }: Held,
  others: readonly { readonly secret: string | null; readonly label: string }[],
): Finding[] {
  const same = others.find((other) => other.secret === secret);
  if (same !== undefined)
    return [fail(`${label} is ${same.label}: deliveries are signed with another one.`, fromDashboard)];
  const alike = others.find((other) => other.secret !== null && isAlike(other.secret, secret));
  if (alike === undefined) return [];
  return [warn(`${label} looks like ${alike.label}, with the same beginning and length.`, fromDashboard)];
}

/** Keys of one maker often begin with a tag, as in `sk_…`, and are of one length. */
function isAlike(one: string, other: string): boolean {
  const tag = /^[A-Za-z]+[_-]/.exec(one)?.[0];
  return tag !== undefined && other.startsWith(tag) && one.length === other.length;
}

function judgeShared(votes: readonly Held[], premium: readonly Held[]): Finding[] {
  return votes
    .filter(({ secret }) => premium.some((each) => each.secret === secret))
    .map(({ label }) =>
      warn(
        `${label} is a premium secret too: whoever may send votes may send purchases.`,
        'Unless the service has one secret for both, set the one from each section of the dashboard.',
      ),
    );
}

const shortOwnerToken = warn(
  `OWNER_TOKEN has fewer than ${minOwnerTokenLength} characters: it can be guessed.`,
  'Set a long random one, for example from `openssl rand -hex 32`.',
);
