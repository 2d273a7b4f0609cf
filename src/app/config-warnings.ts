import type { Config } from '../../config/schema.ts';
import { minOwnerTokenLength } from '../../config/settings.ts';
import type { Log } from '../platform/log.ts';

/** What is not wrong, but most likely not meant. */
export function logConfigWarnings({ listings, warnings, ownerToken }: Config, log: Log): void {
  const receiving = listings.some(
    ({ voteSecrets, premiumSecrets, voteAuthorization }) =>
      voteSecrets.length + premiumSecrets.length > 0 || voteAuthorization !== null,
  );
  if (!receiving)
    log.warn(
      { cure: 'Set VOTE_WEBHOOK_SECRET to the secret from the dashboard.' },
      'no webhook secret is configured: every delivery is refused',
    );
  else if (listings.every(({ announceChannelId }) => announceChannelId === null)) {
    log.warn({ cure: 'Set ANNOUNCE_CHANNEL_ID.' }, 'no channel is configured: nothing will be announced');
  }
  for (const { setting, problem, hint: cure } of warnings) log.warn({ cure }, `${setting} ${problem}`);
  if (ownerToken !== null && ownerToken.length < minOwnerTokenLength) {
    log.warn(
      { cure: 'Set a long random one, for example from `openssl rand -hex 32`.' },
      `OWNER_TOKEN has fewer than ${minOwnerTokenLength} characters: it can be guessed`,
    );
  }
}
