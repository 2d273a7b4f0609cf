import type { Log } from '@tallyhook/platform/log';
import type { Config, ListingConfig } from './schema.ts';
import { minOwnerTokenLength } from './settings/program.ts';

/**
 * Warns about settings that are valid, but probably a mistake.
 * @param listings those in effect, also those that were linked in Discord
 */
export function logConfigWarnings(
  { warnings, ownerToken, roles }: Pick<Config, 'warnings' | 'ownerToken' | 'roles'>,
  listings: readonly Pick<
    ListingConfig,
    'lookupKey' | 'site' | 'voteSecrets' | 'premiumSecrets' | 'voteAuthorization' | 'announceChannelId'
  >[],
  log: Log,
): void {
  logListingWarnings(roles, listings, log);
  for (const { setting, problem, hint } of warnings) log.warn({ hint }, `${setting} ${problem}`);
  if (ownerToken !== null && ownerToken.length < minOwnerTokenLength) {
    log.warn(
      { hint: 'Set a long random token, for example from `openssl rand -hex 32`.' },
      `the owner token (OWNER_TOKEN) has fewer than ${minOwnerTokenLength} characters: it can be guessed`,
    );
  }
}

/** Shorter ones can be guessed from a single delivery (characters). */
const minSecretLength = 16;

/** Warns about webhook secrets that can be guessed: whoever has one can forge votes. */
export function logShortSecrets(
  listings: readonly Pick<ListingConfig, 'name' | 'voteSecrets' | 'premiumSecrets'>[],
  log: Log,
): void {
  const isShort = (secret: string) => secret.length < minSecretLength;
  const names = listings
    .filter(({ voteSecrets, premiumSecrets }) => [...voteSecrets, ...premiumSecrets].some(isShort))
    .map(({ name }) => name);
  if (names.length === 0) return;
  log.warn(
    { listings: names, hint: 'Use long random secrets, for example from `openssl rand -hex 32`.' },
    `webhook secrets have fewer than ${minSecretLength} characters: they can be guessed, and votes forged`,
  );
}

function logListingWarnings(roles: Config['roles'], listings: Parameters<typeof logConfigWarnings>[1], log: Log): void {
  if (listings.length === 0 && roles.includes('answer')) {
    log.info(
      { hint: 'Link a listing with /setup in your Discord server; its webhooks get an address and a secret there.' },
      'no listing is linked yet',
    );
    return;
  }
  const canReceive = listings.some(
    ({ voteSecrets, premiumSecrets, voteAuthorization }) =>
      voteSecrets.length + premiumSecrets.length > 0 || voteAuthorization !== null,
  );
  if (!canReceive && roles.includes('receive'))
    log.warn(
      {
        hint: 'Set VOTE_WEBHOOK_SECRET, or voteSecrets of a listing, to the secret from the dashboard, or link a listing with /setup.',
      },
      'no webhook secret is configured: every delivery will be rejected',
    );
  else if (canReceive && listings.every(({ announceChannelId }) => announceChannelId === null)) {
    log.warn(
      { hint: 'Set announceChannelId of a listing, or ANNOUNCE_CHANNEL_ID.' },
      'no channel is configured: nothing will be announced',
    );
  }
  if (roles.includes('answer') && listings.every(({ lookupKey, site }) => lookupKey === null && !site)) {
    log.info(
      { hint: 'Set LOOKUP_SERVER_KEY, LOOKUP_BOT_KEY or lookupKey of a listing, or add the key with /setup.' },
      'no API key is configured: /canvote knows the votes that were delivered, and /claim and /reviews are not offered',
    );
  }
}
