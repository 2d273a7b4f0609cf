import { type Finding, fail, pass, warn } from '@tallyhook/platform/doctor/check';
import { day, formatAgo, formatCount, second } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import { plainName } from '@tallyhook/platform/truncate';
import { settleWithin } from '@tallyhook/platform/with-timeout';
import type { Config, ListingConfig } from '../../../config/schema.ts';
import { minOwnerTokenLength } from '../../../config/settings.ts';
import type { NotedListing } from '../../core/store/installation.ts';
import { lastDeliveries } from '../../core/store/snapshots/statistics.ts';
import { fetchGuildName } from '../../discord/inspection.ts';
import { groupByTarget } from '../../features/communities/listings.ts';
import { LookupError } from '../../lookup/lookup-error.ts';
import { findSite } from '../../webhook/sites/index.ts';
import { type Site, trustOf } from '../../webhook/sites/site.ts';
import { type Installation, type InstallationCheck, type KeyProfile, type TitleOf, titlesOf } from './installation.ts';

/** Checks that each API key is valid, and belongs to the listing that it is configured for. */
export const keysCheck: InstallationCheck = {
  name: 'keys',
  async run({ profiles }) {
    const results = await profiles();
    if (results === null) {
      const message = 'The API keys were not checked, because the database cannot count the requests.';
      return [warn(message, 'Fix the database first.')];
    }
    return results.map((result) =>
      'profile' in result
        ? evaluateProfile(result.listing, result.profile)
        : evaluateLookupError(result.listing, result.error),
    );
  },
};

function evaluateProfile({ name, kind, id }: ListingConfig, profile: KeyProfile): Finding {
  if (id !== null && profile.id !== null && id !== profile.id) {
    const owner = `"${profile.name}" (${profile.id})`;
    const message = `The API key of ${name} belongs to ${owner}, but ${name} is configured with the id ${id}.`;
    return fail(message, 'Configure the key of this listing, or correct its id.');
  }
  return pass(`The API key of ${name} is valid, for the ${kind} "${profile.name}".`);
}

function evaluateLookupError({ name, kind }: ListingConfig, error: unknown): Finding {
  if (error instanceof LookupError && error.status === 403) {
    return fail(
      `The service rejects the request with the API key of ${name} (403).`,
      'The key may still be valid: a firewall of the service may block this machine. Contact the support of the service.',
    );
  }
  if (!(error instanceof LookupError)) {
    return fail(`The API key of ${name} could not be checked: ${messageOf(error)}`, 'Fix this and run doctor again.');
  }
  switch (error.code) {
    case 'lookup_key_refused':
      return fail(`The service rejects the API key of ${name} (401).`, error.hint);
    case 'lookup_wrong_key_type':
      return fail(`The API key of ${name} is valid, but does not belong to a ${kind} (400).`, error.hint);
    case 'lookup_over_budget':
      return warn(`The API key of ${name} was not checked: ${error.message}`, error.hint);
    default:
      return fail(`The API key of ${name} could not be checked: ${error.message}`, error.hint);
  }
}

interface ShownListing {
  readonly name: string;
  readonly title: string;
  /** Text for what authenticates its votes, such as `secret`. */
  readonly secret: string;
  readonly hasSecret: boolean;
  readonly channelId: string | null;
  readonly hint: string;
}

/** The silence of a webhook after which it may be misconfigured (ms). */
const maxSilenceMs = 7 * day;
/** For names that Discord has not said before. */
const namesTimeoutMs = second;

/** Lists what is linked and configured: each listing with its secret, channel and last delivery; or how to link the first. */
export const listingsCheck: InstallationCheck = {
  name: 'listings',
  async run(installation) {
    const { effective, listings, program, status, snapshot, clock } = installation;
    const last = snapshot === null ? new Map<string, number>() : await lastDeliveries(snapshot);
    const configured = inUse(listings, last);
    if (configured.length + program.listings.length === 0) {
      const hint = 'se /setup in your server in Discord.';
      return [
        warn('Nothing is linked yet.', status.state === 'absent' ? `Start tallyhook, then u${hint}` : `U${hint}`),
      ];
    }
    const titleOf = await fetchTitles(installation);
    const unreadable = new Set(effective.unreadable.map(({ listing }) => listing));
    const shown = [
      ...configured.map((listing) => shownListing(listing, titleOf(listing.name), unreadable.has(listing.name))),
      ...program.listings.map(shownNote),
    ];
    const lines = await Promise.all(
      shown.map(async (listing) => {
        const channel = await channelName(listing.channelId, installation);
        return evaluateListing(listing, channel, last.get(listing.name) ?? null, clock.now());
      }),
    );
    const others = effective.listings.length - listings.length;
    return [
      ...lines,
      ...(others > 0 ? [pass(`${formatCount(others, 'other listing')} linked in Discord.`)] : []),
      ...findRepeated(installation, titleOf, await targetsOf(installation)),
    ];
  },
};

/** The variables always describe a server and a bot. One without a key and without deliveries is not in use. */
function inUse(listings: readonly ListingConfig[], last: ReadonlyMap<string, number>): readonly ListingConfig[] {
  const used = listings.filter(({ name, implied }) => !implied || last.has(name));
  return used.length === 0 ? listings : used;
}

function shownListing(listing: ListingConfig, title: string, isUnreadable: boolean): ShownListing {
  const { name, site, voteSecrets, voteAuthorization, announceChannelId: channelId } = listing;
  const count = voteSecrets.length;
  const isOpen = site !== undefined && trustOf(findSite(site)) === 'none';
  const hasSecret = count > 0 || voteAuthorization !== null || isOpen;
  const missing = isUnreadable ? 'a secret that cannot be decrypted here' : 'no secret';
  const known =
    count > 1
      ? formatCount(count, 'secret')
      : count === 1
        ? 'secret'
        : isOpen
          ? 'no secret needed'
          : 'Authorization value';
  return {
    ...{ name, title, channelId, hasSecret },
    secret: hasSecret ? known : missing,
    hint: deliveryHint(name, site === undefined ? null : findSite(site).name, listing.linked === true),
  };
}

function shownNote({ name, site, channelId, hasSecret }: NotedListing): ShownListing {
  const title = site === null ? name : `${name} on ${site}`;
  return {
    ...{ name, channelId, hasSecret },
    title: `${title} (configured in the program, not here)`,
    secret: hasSecret ? 'secret' : 'no secret',
    hint: deliveryHint(name, site, false),
  };
}

function deliveryHint(name: string, site: string | null, isLinked: boolean): string {
  if (site !== null) return `Check at ${site} that the webhook has the address /webhooks/${name}, and send a test.`;
  const address = isLinked ? `the URL there: it ends in /webhooks/${name}` : 'the URL there';
  return `Press "Test Webhook" in the dashboard of the service, and check ${address}.`;
}

function evaluateListing(
  { title, secret, hasSecret, hint }: ShownListing,
  channel: string | null,
  lastAt: number | null,
  now: number,
): Finding {
  const announced = channel === null ? 'not announced' : `channel ${channel}`;
  const parts = `${title}: ${secret}, ${announced}`;
  if (!hasSecret) return warn(`${parts}. Its votes are rejected.`, 'Enter the secret of its webhook.');
  if (lastAt === null) return warn(`${parts}, no delivery yet.`, hint);
  const message = `${parts}, last delivery ${formatAgo(lastAt, now)} (${new Date(lastAt).toISOString()})`;
  return now - lastAt > maxSilenceMs ? warn(`${message}: none in the last 7 days.`, hint) : pass(`${message}.`);
}

/** `#votes`, or its id if Discord does not say at once what its name is. */
async function channelName(
  channelId: string | null,
  { channel, clock }: Pick<Installation, 'channel' | 'clock'>,
): Promise<string | null> {
  if (channelId === null) return null;
  const access = await settleWithin(namesTimeoutMs, clock, channel(channelId));
  return access != null && 'name' in access ? `#${plainName(access.name)}` : channelId;
}

async function fetchTitles({ profiles, listings, rest, bot, clock }: Installation): Promise<TitleOf> {
  const ofService = titlesOf(await profiles());
  const nameOf = async ({ kind, id }: ListingConfig) => {
    const identity = await bot();
    if (identity === null || id === null) return null;
    if (kind === 'server') return fetchGuildName(rest, id);
    return id === identity.applicationId || id === identity.userId ? identity.name : null;
  };
  const onSites = listings.filter(({ site }) => site !== undefined);
  const titles = new Map(
    await Promise.all(
      onSites.map(async (listing) => {
        const found = await settleWithin(namesTimeoutMs, clock, nameOf(listing));
        const site = listing.site === undefined ? '' : ` on ${findSite(listing.site).name}`;
        const title = found == null ? `${listing.name}${site}` : `${plainName(found)}${site} (${listing.name})`;
        return [listing.name, title] as const;
      }),
    ),
  );
  return (name) => titles.get(name) ?? ofService(name);
}

async function targetsOf({ profiles }: Pick<Installation, 'profiles'>): Promise<ReadonlyMap<string, string>> {
  const known = (await profiles()) ?? [];
  return new Map(
    known.flatMap((result) =>
      'profile' in result && result.profile.id !== null ? [[result.listing.name, result.profile.id] as const] : [],
    ),
  );
}

/** Servers and bots that are several listings of one guild, such as one of the operator and one linked in Discord. */
function findRepeated(
  { effective }: Pick<Installation, 'effective'>,
  titleOf: TitleOf,
  ids: ReadonlyMap<string, string>,
): Finding[] {
  const targetIdOf = ({ name, id }: Pick<ListingConfig, 'name' | 'id'>) => id ?? ids.get(name) ?? null;
  return [...Map.groupBy(effective.listings, ({ guildId }) => guildId)].flatMap(([guildId, listings]) =>
    groupByTarget(listings, targetIdOf)
      .filter(({ length }) => length > 1)
      .map((group) => findingOf(group, guildId, titleOf)),
  );
}

function findingOf(group: readonly ListingConfig[], guildId: string | null, titleOf: TitleOf): Finding {
  const names = group.map(({ name }) => titleOf(name));
  const community = guildId === null ? '' : ` in the server ${guildId}`;
  const linked = group.filter((listing) => listing.linked).map(({ name }) => titleOf(name));
  const hint =
    linked.length === 0
      ? 'Keep one of them in the settings.'
      : `Unlink ${linked.slice(linked.length === group.length ? 1 : 0).join(', ')} with /setup in that server.`;
  return warn(
    `The listings ${names.join(' and ')}${community} are the same ${group[0]?.kind}. A vote for it counts once.`,
    `${hint} At the service, enter the webhook addresses of the one that stays.`,
  );
}

/** Shorter secrets can be guessed from one captured delivery (characters). */
const minSecretLength = 16;
const dashboardHint = 'Copy it again from the dashboard of the service.';

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
