import type { Clock } from '@tallyhook/platform/clock';
import { OAuthError, type Tokens } from '@tallyhook/platform/discord-oauth/oauth-client';
import { minute, second } from '@tallyhook/platform/durations';
import type { Encryption } from '@tallyhook/platform/encryption/encryption';
import { seal } from '@tallyhook/platform/encryption/sealed-text';
import type { DiscordOAuth } from './discord-oauth.ts';
import {
  type LinkedMember,
  type LinkedMembers,
  type SaveTokensResult,
  type SealedTokens,
  tokenContext,
} from './store.ts';

/** Longer than a request for new tokens takes; afterwards another process tries (ms). */
const refreshLeaseMs = 20 * second;
/** An access token is replaced this long before it expires (ms). */
const expiryMarginMs = minute;

/** The tokens of linked members, encrypted in the store. */
export type MemberTokens = ReturnType<typeof createMemberTokens>;

export function createMemberTokens(options: {
  readonly members: LinkedMembers;
  readonly oauth: Pick<DiscordOAuth, 'refresh'>;
  readonly encryption: Encryption;
  readonly clock: Clock;
}) {
  const { members, oauth, encryption, clock } = options;

  /** Again if the database's key was replaced meanwhile. */
  async function saveSealed(
    userId: string,
    tokens: Tokens,
    save: (sealed: SealedTokens) => Promise<SaveTokensResult>,
  ): Promise<void> {
    const expiresAt = clock.now() + tokens.lifetimeMs;
    let keyId = await members.keyId();
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const key = encryption.keyFor(keyId);
      const result = await save({
        accessToken: seal(key, tokens.accessToken, tokenContext(userId, 'access_token')),
        refreshToken: seal(key, tokens.refreshToken, tokenContext(userId, 'refresh_token')),
        expiresAt,
      });
      if (result.status !== 'other_key') return;
      keyId = result.keyId;
    }
    throw new Error('The key of the database keeps changing.');
  }

  /** The tokens as stored, perhaps expired. */
  function open({ userId, accessToken, refreshToken }: LinkedMember) {
    return {
      accessToken: encryption.open(accessToken, tokenContext(userId, 'access_token')),
      refreshToken: encryption.open(refreshToken, tokenContext(userId, 'refresh_token')),
    };
  }

  const isValid = ({ expiresAt }: LinkedMember) => expiresAt - expiryMarginMs > clock.now();

  return {
    /** Stores the tokens of a member who has given the permission. Rejects with the errors of the store. */
    link: ({ userId, locale }: Pick<LinkedMember, 'userId' | 'locale'>, tokens: Tokens) =>
      saveSealed(userId, tokens, (sealed) => members.link({ userId, locale, ...sealed }, clock.now())),

    open,

    /**
     * A valid access token, with a new one if it has expired; `busy` while another process requests it.
     * @throws OAuthError, and the errors of the store and of the encryption
     */
    async accessToken(member: LinkedMember): Promise<{ readonly token: string } | 'busy'> {
      const { userId } = member;
      if (isValid(member)) return { token: open(member).accessToken };
      const now = clock.now();
      const leased = await members.leaseRefresh(userId, now, now + refreshLeaseMs);
      if (leased === null) return 'busy';
      // Another process may have stored new ones since `member` was read.
      if (isValid(leased)) {
        await members.releaseRefresh(userId);
        return { token: open(leased).accessToken };
      }
      try {
        const tokens = await oauth.refresh(open(leased).refreshToken);
        await saveSealed(userId, tokens, (sealed) => members.saveTokens(userId, sealed));
        return { token: tokens.accessToken };
      } catch (error) {
        // Without a response, the token may have been used: the lease gives Discord time to finish.
        if (error instanceof OAuthError && error.reason !== 'unavailable') await members.releaseRefresh(userId);
        throw error;
      }
    },
  };
}
