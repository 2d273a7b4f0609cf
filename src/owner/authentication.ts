import { BoundedMap } from '@tallyhook/platform/bounded-map';
import { minute, second } from '@tallyhook/platform/durations';
import type { Log } from '@tallyhook/platform/log';
import { clientKeyOf } from '@tallyhook/platform/web/client-key';
import { ClientLimit } from '@tallyhook/platform/web/client-limit';
import { HttpError } from '@tallyhook/platform/web/http-error';
import { equalSecrets } from '@tallyhook/platform/web/session-cookie';
import { RateLimiterMemory } from 'rate-limiter-flexible';

/** Wrong tokens of all clients together in a minute: behind some proxies a caller can choose its address. */
const maxFailuresOfAll = 100;
/** Clients that are remembered because they sent the right token; the oldest is forgotten first. */
const maxTrustedClients = 1_000;
const allClients = 'all';
export const loopbackClients = [clientKeyOf('127.0.0.1'), clientKeyOf('::1')];

const attackHint =
  'Meanwhile, sign in from this machine or from an address where you signed in before. Let the proxy overwrite X-Forwarded-For.';

/**
 * Authentication of the owner. The API and the console share one, so that a caller has no second set of attempts. Counts
 * in memory, per minute, until the process ends. After too many wrong tokens of all clients together, a token is accepted
 * only from this machine and from clients that have sent the right token before, so that an attack does not lock the
 * owner out. The limits per client still apply. Clients are named by `clientKeyOf`.
 */
export class Authentication {
  readonly #token: string | null;
  readonly #log: Log;
  /** With a right or wrong token. */
  readonly #requests = new ClientLimit(600);
  /** Sign-ins with Discord: each costs requests to Discord. */
  readonly #signIns = new ClientLimit(30);
  readonly #failures = new ClientLimit(10);
  readonly #failuresOfAll = new RateLimiterMemory({ points: maxFailuresOfAll, duration: minute / second });
  readonly #trustedClients = new BoundedMap<true>(maxTrustedClients);

  /** @param options.token the `OWNER_TOKEN`; null to accept none */
  constructor({ token, log }: { readonly token: string | null; readonly log: Log }) {
    this.#token = token;
    this.#log = log;
  }

  /** @throws HttpError 429 */
  async countRequest(client: string): Promise<void> {
    rejectFor(await this.#requests.waitMs(client, { isTrusted: this.#isTrusted(client) }), 'Too many requests.');
  }

  /** Counts a return from Discord. @throws HttpError 429 */
  async countSignIn(client: string): Promise<void> {
    rejectFor(await this.#signIns.waitMs(client), 'Too many sign-ins.');
  }

  /** Compares in constant time. @throws HttpError 429 after too many wrong tokens, even for the right token */
  async verifyToken(candidate: string, client: string): Promise<boolean> {
    const isTrusted = this.#isTrusted(client);
    // Counted before the comparison, so that requests at the same time have no more attempts.
    rejectFor(await this.#failures.waitMs(client, { isTrusted }), 'Too many wrong tokens from this address.');
    const ofAll = await this.#failuresOfAll.get(allClients);
    if (!isTrusted && ofAll?.remainingPoints === 0 && ofAll.msBeforeNext > 0) {
      rejectFor(ofAll.msBeforeNext, 'Too many wrong tokens from other addresses.');
    }
    if (this.#token !== null && equalSecrets(candidate, this.#token)) {
      await this.#failures.forgive(client);
      this.#trustedClients.set(client, true);
      return true;
    }
    if (await this.#failures.isReached(client)) {
      this.#log.warn({ address: client }, 'too many wrong owner tokens from one address');
    }
    const { consumedPoints } = await this.#failuresOfAll.penalty(allClients);
    if (consumedPoints === maxFailuresOfAll) {
      this.#log.warn({ hint: attackHint }, 'too many wrong owner tokens from many addresses');
    }
    return false;
  }

  #isTrusted(client: string): boolean {
    return loopbackClients.includes(client) || this.#trustedClients.has(client);
  }
}

/** @throws HttpError 429 unless `waitMs` is null */
function rejectFor(waitMs: number | null, reason: string): void {
  if (waitMs === null) return;
  const seconds = Math.max(1, Math.ceil(waitMs / second));
  throw new HttpError(429, `${reason} Try again in ${seconds} s.`, seconds);
}
