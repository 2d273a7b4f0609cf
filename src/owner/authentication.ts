import { randomBytes } from 'node:crypto';
import { BoundedMap } from '@tallyhook/platform/bounded-map';
import type { Clock } from '@tallyhook/platform/clock';
import { createAuthorizationAttempts } from '@tallyhook/platform/discord-oauth/authorization-attempts';
import { OAuthClient, readManagedGuilds } from '@tallyhook/platform/discord-oauth/oauth-client';
import { minute, second } from '@tallyhook/platform/durations';
import type { Log } from '@tallyhook/platform/log';
import { clientKeyOf } from '@tallyhook/platform/web/client-key';
import { ClientLimit } from '@tallyhook/platform/web/client-limit';
import { HttpError } from '@tallyhook/platform/web/http-error';
import { equalSecrets } from '@tallyhook/platform/web/session-cookie';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { memoizedApplicationId } from '../discord/inspection.ts';
import type { DiscordRest } from '../discord/rest.ts';

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
  /** The requests of a client, with a right or wrong token. */
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

  async countRequest(client: string): Promise<void> {
    rejectFor(await this.#requests.waitMs(client, { isTrusted: this.#isTrusted(client) }), 'Too many requests.');
  }

  /** Counts a return from Discord. @throws HttpError 429 */
  async countSignIn(client: string): Promise<void> {
    rejectFor(await this.#signIns.waitMs(client), 'Too many sign-ins.');
  }

  /** Compares in constant time. @throws HttpError 429 after too many wrong tokens, even for the right token */
  async verifyToken(candidate: string, client: string): Promise<boolean> {
    // Counted before the comparison, so that requests at the same time have no more attempts.
    await this.#countAttempt(client);
    if (this.#token === null || !equalSecrets(candidate, this.#token)) {
      await this.#noteFailure(client);
      return false;
    }
    await this.#failures.forgive(client);
    this.#trustedClients.set(client, true);
    return true;
  }

  /**
   * Finds what a random token belongs to. Nobody can guess one, so only a wrong one is counted: a program may send many
   * requests at the same time. @throws HttpError 429 as {@link verifyToken}
   */
  async verifyRandom<Found>(client: string, find: () => Promise<Found | null>): Promise<Found | null> {
    if (await this.#failures.isReached(client)) await this.#countAttempt(client);
    const found = await find();
    if (found === null) {
      await this.#countAttempt(client);
      await this.#noteFailure(client);
    } else {
      this.#trustedClients.set(client, true);
    }
    return found;
  }

  async #countAttempt(client: string): Promise<void> {
    const isTrusted = this.#isTrusted(client);
    rejectFor(await this.#failures.waitMs(client, { isTrusted }), 'Too many wrong tokens from this address.');
    const ofAll = await this.#failuresOfAll.get(allClients);
    if (!isTrusted && ofAll?.remainingPoints === 0 && ofAll.msBeforeNext > 0) {
      rejectFor(ofAll.msBeforeNext, 'Too many wrong tokens from other addresses.');
    }
  }

  async #noteFailure(client: string): Promise<void> {
    if (await this.#failures.isReached(client)) {
      this.#log.warn({ address: client }, 'too many wrong owner tokens from one address');
    }
    const { consumedPoints } = await this.#failuresOfAll.penalty(allClients);
    if (consumedPoints === maxFailuresOfAll) {
      this.#log.warn({ hint: attackHint }, 'too many wrong owner tokens from many addresses');
    }
  }

  #isTrusted(client: string): boolean {
    return loopbackClients.includes(client) || this.#trustedClients.has(client);
  }
}

function rejectFor(waitMs: number | null, reason: string): void {
  if (waitMs === null) return;
  const seconds = Math.max(1, Math.ceil(waitMs / second));
  throw new HttpError(429, `${reason} Try again in ${seconds} s.`, seconds);
}

const lifetimeMs = minute;

export type SignInLinks = ReturnType<typeof createSignInLinks>;

/** Links that sign in without the token: once, within a minute, from this machine. @param clock real time */
export function createSignInLinks(clock: Clock, onUsed: () => void = () => {}) {
  let current: { readonly code: string; readonly endsAt: number } | null = null;
  return {
    /** The path of a new link below the console's. It ends the earlier one. */
    create(): string {
      current = { code: randomBytes(32).toString('base64url'), endsAt: clock.monotonic() + lifetimeMs };
      return `sign-in-link?code=${current.code}`;
    },
    /** True if the code is that of the link, which is used up by that. */
    use(code: string): boolean {
      if (current === null || clock.monotonic() >= current.endsAt || !equalSecrets(code, current.code)) return false;
      current = null;
      onUsed();
      return true;
    },
  };
}

/** Guilds are read once; who manages one is asked through the bot afterwards. So no token of a member is stored. */
const scope = 'identify guilds';

/** Where the developer portal allows Discord to send members, below `PUBLIC_URL`. */
export const signInCallback = 'discord-callback';

export type DiscordSignIn = ReturnType<typeof createDiscordSignIn>;

/** Sign-in of those who manage a server. Methods reject with `OAuthError`. */
export function createDiscordSignIn(options: {
  readonly clientSecret: string;
  readonly publicUrl: string;
  readonly apiUrl: string;
  readonly rest: DiscordRest;
  readonly clock: Clock;
}) {
  const { clientSecret, publicUrl, apiUrl, rest, clock } = options;
  const url = `${publicUrl}/owner`;
  const { pathname, protocol } = new URL(url);
  const client = new OAuthClient({
    apiUrl: () => apiUrl,
    applicationId: memoizedApplicationId(rest),
    clientSecret,
    redirectUrl: `${url}/${signInCallback}`,
  });

  return {
    clientSecret,
    /** The public URL of the console, without a trailing slash: there is the cookie of an attempt. */
    url,
    attempts: createAuthorizationAttempts({
      secret: clientSecret,
      purpose: 'owner sign-in',
      cookieName: 'tallyhook_owner_sign_in',
      path: `${pathname}/`,
      secure: protocol === 'https:',
      clock,
    }),
    /** Discord's page on which the member gives the permission. */
    consentUrl: (attempt: { readonly state: string; readonly verifier: string }) =>
      client.authorizeUrl({ scope, ...attempt }),
    /** Who has given the permission, and the servers that the member may manage. The token is revoked. */
    readMember: (code: string, verifier: string) =>
      client.useOnce({ scope, code, verifier }, clock, async (token) => {
        const [{ id: userId }, guilds] = await Promise.all([
          client.currentUser(token),
          readManagedGuilds(client, token),
        ]);
        return { userId, guildIds: guilds.map(({ id }) => id) };
      }),
  };
}
