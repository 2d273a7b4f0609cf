import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '@tallyhook/platform/clock';
import { minute } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import type { CommunityId } from '../../core/ledger/account.ts';
import { type ApiToken, isValid, type TokenStore } from './store.ts';

/** How every token begins, so that scanners of secrets find it. */
export const tokenPrefix = 'thk_';

/** True for a text that has the form of a token. */
export function isCommunityToken(text: string): boolean {
  return /^thk_[\w-]{43}$/.test(text);
}

const usedEveryMs = minute;

/** The author of a token's changes, in place of a Discord id. */
export function authorOfToken({ id, name }: Pick<ApiToken, 'id' | 'name'>): string {
  return `token ${id} (${name})`;
}

/** The tokens of all communities. Methods reject with the errors of the store. */
export class Tokens {
  readonly #store: TokenStore;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #log: Log;

  constructor(options: { readonly store: TokenStore; readonly clock: Pick<Clock, 'now'>; readonly log: Log }) {
    this.#store = options.store;
    this.#clock = options.clock;
    this.#log = options.log;
  }

  /** The new token, which nothing can show again; null if the community has as many as it may. */
  async create(
    token: Pick<ApiToken, 'communityId' | 'name' | 'scopes' | 'createdBy' | 'expiresAt'>,
  ): Promise<(ApiToken & { readonly secret: string }) | null> {
    const secret = `${tokenPrefix}${randomBytes(32).toString('base64url')}`;
    const created = await this.#store.create({ ...token, digest: digestOf(secret) }, this.#clock.now());
    if (created === null) return null;
    const { id, communityId, name, scopes, createdBy: author } = created;
    this.#log.info({ token: id, name, community: communityId, scopes, author }, 'a token was created');
    return { ...created, secret };
  }

  /** Newest first, with some that were revoked or have expired. */
  list(communityId: CommunityId): Promise<readonly ApiToken[]> {
    return this.#store.list(communityId);
  }

  /** The token, which is valid no longer; null if the community has none with this id that is not revoked. */
  async revoke(communityId: CommunityId, id: number, author: string): Promise<ApiToken | null> {
    const revoked = await this.#store.revoke(communityId, id, this.#clock.now());
    if (revoked !== null)
      this.#log.info({ token: id, name: revoked.name, community: communityId, author }, 'a token was revoked');
    return revoked;
  }

  /** The valid token with this secret; null if it is unknown, revoked or has expired. */
  async verify(secret: string): Promise<ApiToken | null> {
    if (!isCommunityToken(secret)) return null;
    const token = await this.#store.find(digestOf(secret));
    const now = this.#clock.now();
    if (token === null || !isValid(token, now)) return null;
    // Not awaited: a database that only reads still verifies tokens.
    if (token.usedAt === null || now - token.usedAt >= usedEveryMs) void this.#noteUse(token.id, now);
    return token;
  }

  async #noteUse(id: number, now: number): Promise<void> {
    try {
      await this.#store.used(id, now);
    } catch (error) {
      this.#log.debug({ token: id, reason: messageOf(error) }, 'the use of a token could not be noted');
    }
  }
}

/** A token is random, so its digest needs neither salt nor many rounds. */
function digestOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
