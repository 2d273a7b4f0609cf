import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Clock } from '../../platform/clock.ts';
import { day, minute, second } from '../../platform/durations.ts';
import type { DiscordState } from './discord-state.ts';
import { errorResponse, OAuth2Error, RejectedByClientError } from './errors.ts';

/** Lifetime of a code, and of an access token (ms). */
const codeLifetimeMs = minute;
const tokenLifetimeMs = 7 * day;

/** What a member is asked for. */
export interface Authorization {
  readonly redirectUri: string;
  readonly scope: string;
  readonly state: string;
  readonly challenge: string | null;
}

interface Grant {
  readonly userId: string;
  readonly scope: string;
  readonly expiresAt: number;
}

/** What happens to the permissions that members have given to the application. */
export interface AuthorizationControls {
  /** The member removes the application in the settings of the client. */
  deauthorize(userId: string): void;
  /** Makes the access tokens of a member expire now. */
  expireAccessTokens(userId: string): void;
}

/** The permissions that members have given to the application. Discord: "OAuth2". */
export class OAuth implements AuthorizationControls {
  readonly clientSecret = randomBytes(24).toString('base64url');
  readonly #state: DiscordState;
  readonly #clock: Clock;
  readonly #codes = new Map<string, Grant & { readonly authorization: Authorization }>();
  readonly #accessTokens = new Map<string, Grant>();
  readonly #refreshTokens = new Map<string, Grant>();
  /** Called when a member withdraws the permission. */
  onRevoked: (userId: string) => void = () => {};

  constructor(state: DiscordState, clock: Clock) {
    this.#state = state;
    this.#clock = clock;
  }

  /** Checks the address of a consent page. @throws RejectedByClientError */
  parseAuthorization(query: URLSearchParams): Authorization {
    const get = (name: string) => query.get(name) ?? '';
    const reject = (message: string): never => {
      throw new RejectedByClientError('invalid_authorization', message);
    };
    if (get('client_id') !== this.#state.applicationId) reject('Unknown application');
    if (get('response_type') !== 'code') reject('Unsupported response type');
    if (!URL.canParse(get('redirect_uri'))) reject('Invalid OAuth2 redirect_uri');
    if (
      get('scope')
        .split(' ')
        .some((scope) => !['identify', 'role_connections.write'].includes(scope))
    )
      reject('The requested scope is invalid, unknown, or malformed.');
    if (query.has('code_challenge') && get('code_challenge_method') !== 'S256') reject('Unsupported challenge method');
    return {
      ...{ redirectUri: get('redirect_uri'), scope: get('scope'), state: get('state') },
      challenge: query.get('code_challenge'),
    };
  }

  /** The member agrees or not; returns where the browser goes. */
  decide(authorization: Authorization, userId: string, agrees: boolean): string {
    const { redirectUri, state, scope } = authorization;
    const url = new URL(redirectUri);
    url.searchParams.set('state', state);
    if (!agrees) {
      url.searchParams.set('error', 'access_denied');
      return url.href;
    }
    const code = randomBytes(15).toString('base64url');
    this.#codes.set(code, { userId, scope, expiresAt: this.#clock.now() + codeLifetimeMs, authorization });
    url.searchParams.set('code', code);
    return url.href;
  }

  /** Discord: "Access Token Exchange", "Refresh Token Exchange". Each code and each refresh token is valid once. */
  issueTokens(body: unknown) {
    const request = tokenRequest.safeParse(body).data;
    if (request === undefined) throw new OAuth2Error(400, 'invalid_request');
    this.#checkClient(request);
    const grant = request.grant_type === 'refresh_token' ? this.#takeRefreshToken(request) : this.#takeCode(request);
    const { userId, scope } = grant;
    const access_token = randomBytes(24).toString('base64url');
    const refresh_token = randomBytes(24).toString('base64url');
    const expiresAt = this.#clock.now() + tokenLifetimeMs;
    this.#accessTokens.set(access_token, { userId, scope, expiresAt });
    this.#refreshTokens.set(refresh_token, { userId, scope, expiresAt: Number.POSITIVE_INFINITY });
    return { token_type: 'Bearer', access_token, refresh_token, expires_in: tokenLifetimeMs / second, scope };
  }

  /** Discord: "Token Revocation": all tokens of the authorization. */
  revokeToken(body: unknown): void {
    const request = revocation.safeParse(body).data;
    if (request === undefined) throw new OAuth2Error(400, 'invalid_request');
    this.#checkClient(request);
    const grant = this.#refreshTokens.get(request.token) ?? this.#accessTokens.get(request.token);
    if (grant !== undefined) this.deauthorize(grant.userId);
  }

  /** The member removes the application in the settings of the client. */
  deauthorize(userId: string): void {
    for (const tokens of [this.#accessTokens, this.#refreshTokens]) {
      for (const [token, grant] of tokens) if (grant.userId === userId) tokens.delete(token);
    }
    this.onRevoked(userId);
  }

  /** Makes the access tokens of a member expire now. */
  expireAccessTokens(userId: string): void {
    for (const [token, grant] of this.#accessTokens) if (grant.userId === userId) this.#accessTokens.delete(token);
  }

  /** The member of an `Authorization` header with this scope. @throws DiscordApiError */
  memberOf(authorization: string | undefined, scope: string): string {
    const grant = this.#accessTokens.get(/^Bearer (.+)$/.exec(authorization ?? '')?.[1] ?? '');
    if (grant === undefined || grant.expiresAt <= this.#clock.now()) throw errorResponse.unauthorized();
    if (!grant.scope.split(' ').includes(scope)) throw errorResponse.missingAccess();
    return grant.userId;
  }

  #checkClient({ client_id, client_secret }: { client_id: string; client_secret: string }): void {
    const isKnown = client_id === this.#state.applicationId && client_secret === this.clientSecret;
    if (!isKnown) throw new OAuth2Error(401, 'invalid_client');
  }

  #takeCode({ code = '', redirect_uri, code_verifier }: z.output<typeof tokenRequest>): Grant {
    const grant = this.#codes.get(code);
    this.#codes.delete(code);
    const { redirectUri, challenge } = grant?.authorization ?? {};
    const isVerified =
      challenge == null ||
      createHash('sha256')
        .update(code_verifier ?? '')
        .digest('base64url') === challenge;
    const isValid = grant !== undefined && grant.expiresAt > this.#clock.now() && redirectUri === redirect_uri;
    if (!isValid || !isVerified) throw new OAuth2Error(400, 'invalid_grant');
    return grant;
  }

  #takeRefreshToken({ refresh_token = '' }: z.output<typeof tokenRequest>): Grant {
    const grant = this.#refreshTokens.get(refresh_token);
    this.#refreshTokens.delete(refresh_token);
    if (grant === undefined) throw new OAuth2Error(400, 'invalid_grant');
    return grant;
  }
}

const client = { client_id: z.string(), client_secret: z.string() };
const tokenRequest = z.object({
  ...client,
  grant_type: z.enum(['authorization_code', 'refresh_token']),
  code: z.string().optional(),
  redirect_uri: z.string().optional(),
  code_verifier: z.string().optional(),
  refresh_token: z.string().optional(),
});
const revocation = z.object({ ...client, token: z.string() });
