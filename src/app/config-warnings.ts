import type { Config } from '../../config/schema.ts';
import { minOwnerTokenLength } from '../../config/settings.ts';
import type { Log } from '../platform/log.ts';

/** Warns about settings that are valid, but probably a mistake. */
export function logConfigWarnings({ listings, warnings, ownerToken }: Config, log: Log): void {
  const canReceive = listings.some(
    ({ voteSecrets, premiumSecrets, voteAuthorization }) =>
      voteSecrets.length + premiumSecrets.length > 0 || voteAuthorization !== null,
  );
  if (!canReceive)
    log.warn(
      { hint: 'Set VOTE_WEBHOOK_SECRET to the secret from the dashboard.' },
      'no webhook secret is configured: every delivery will be rejected',
    );
  else if (listings.every(({ announceChannelId }) => announceChannelId === null)) {
    log.warn({ hint: 'Set ANNOUNCE_CHANNEL_ID.' }, 'no channel is configured: nothing will be announced');
  }
  for (const { setting, problem, hint } of warnings) log.warn({ hint }, `${setting} ${problem}`);
  if (ownerToken !== null && ownerToken.length < minOwnerTokenLength) {
    log.warn(
      { hint: 'Set a long random token, for example from `openssl rand -hex 32`.' },
      `OWNER_TOKEN has fewer than ${minOwnerTokenLength} characters: it can be guessed`,
    );
  }
}
