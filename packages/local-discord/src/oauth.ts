import { createHash, randomBytes } from 'node:crypto';
import { day, minute, second } from '@tallyhook/platform/durations';
import { z } from 'zod';
import type { DiscordState } from './discord-state.ts';
import { errorResponse, OAuth2Error, reject } from './errors.ts';

/** Lifetime of a code, and of an access token (ms). */
const codeLifetimeMs = minute;
const tokenLifetimeMs = 7 * day;

/** An application for which members give permissions. */
export interface OAuthApplication {
  readonly id: string;
  readonly name: string;
  readonly clientSecret: string;
  /** Where the browser may be sent with a code; null for anywhere. */
  readonly redirectUris: readonly string[] | null;
}

const scopes = ['identify', 'guilds', 'role_connections.write'];

/** An authorization request (OAuth2) that the member approves or not. */
export interface Authorization {
  readonly application: OAuthApplication;
  readonly redirectUri: string;
  readonly scope: string;
  readonly state: string;
  readonly challenge: string | null;
}

interface Grant {
  readonly applicationId: string;
  readonly userId: string;
  readonly scope: string;
  readonly expiresAt: number;
}

/** Controls that end the authorizations of applications by members. */
export interface AuthorizationControls {
  /** The member removes the bot's application in the settings of the client. */
  deauthorize(userId: string): void;
  /** Makes the access tokens of a member expire now, of all applications. */
  expireAccessTokens(userId: string): void;
}

/** The permissions that members have given to applications. Discord: "OAuth2". */
export class OAuth implements AuthorizationControls {
  /** The client secret of the bot's application. */
  readonly clientSecret = randomBytes(24).toString('base64url');
  readonly #state: DiscordState;
  readonly #applications: ReadonlyMap<string, OAuthApplication>;
  readonly #onRevoked: (userId: string) => void;
  readonly #codes = new Map<string, Grant & { readonly authorization: Authorization }>();
  readonly #accessTokens = new Map<string, Grant>();
  readonly #refreshTokens = new Map<string, Grant>();

  /**
   * @param others applications besides the bot's
   * @param onRevoked called when a member withdraws the permission of the bot's application
   */
  constructor(state: DiscordState, others: readonly OAuthApplication[], onRevoked: (userId: string) => void) {
    const { applicationId, bot } = state;
    const ofBot = { id: applicationId, name: bot.username, clientSecret: this.clientSecret, redirectUris: null };
    this.#applications = new Map([ofBot, ...others].map((application) => [application.id, application]));
    this.#state = state;
    this.#onRevoked = onRevoked;
  }

  /** Checks the address of a consent page. @throws RejectedByClientError */
  parseAuthorization(query: URLSearchParams): Authorization {
    const get = (name: string) => query.get(name) ?? '';
    const check = (isValid: boolean, message: string) => isValid || reject('invalid_authorization', message);
    const application =
      this.#applications.get(get('client_id')) ?? reject('invalid_authorization', 'Unknown application');
    check(get('response_type') === 'code', 'Unsupported response type');
    const isRegistered = application.redirectUris?.includes(get('redirect_uri')) ?? URL.canParse(get('redirect_uri'));
    check(isRegistered, 'Invalid OAuth2 redirect_uri');
    const isKnownScope = get('scope')
      .split(' ')
      .every((scope) => scopes.includes(scope));
    check(isKnownScope, 'The requested scope is invalid, unknown, or malformed.');
    const isSupported = !query.has('code_challenge') || get('code_challenge_method') === 'S256';
    check(isSupported, 'Unsupported challenge method');
    return {
      application,
      redirectUri: get('redirect_uri'),
      scope: get('scope'),
      state: get('state'),
      challenge: query.get('code_challenge'),
    };
  }

  /** The member agrees or not; returns where the browser goes. */
  decide(authorization: Authorization, userId: string, agrees: boolean): string {
    const { application, redirectUri, state, scope } = authorization;
    const url = new URL(redirectUri);
    url.searchParams.set('state', state);
    if (!agrees) {
      url.searchParams.set('error', 'access_denied');
      return url.href;
    }
    const code = randomBytes(15).toString('base64url');
    const expiresAt = this.#state.clock.now() + codeLifetimeMs;
    this.#codes.set(code, { applicationId: application.id, userId, scope, expiresAt, authorization });
    url.searchParams.set('code', code);
    return url.href;
  }

  /** Discord: "Access Token Exchange", "Refresh Token Exchange". Each code and each refresh token is valid once. */
  issueTokens(body: unknown) {
    const request = tokenRequest.safeParse(body).data;
    if (request === undefined) throw new OAuth2Error(400, 'invalid_request');
    this.#checkClient(request);
    const grant = request.grant_type === 'refresh_token' ? this.#takeRefreshToken(request) : this.#takeCode(request);
    const { applicationId, userId, scope } = grant;
    const access_token = randomBytes(24).toString('base64url');
    const refresh_token = randomBytes(24).toString('base64url');
    const expiresAt = this.#state.clock.now() + tokenLifetimeMs;
    this.#accessTokens.set(access_token, { applicationId, userId, scope, expiresAt });
    this.#refreshTokens.set(refresh_token, { applicationId, userId, scope, expiresAt: Number.POSITIVE_INFINITY });
    return { token_type: 'Bearer', access_token, refresh_token, expires_in: tokenLifetimeMs / second, scope };
  }

  /** Discord: "Token Revocation": all tokens that the application has of the member. */
  revokeToken(body: unknown): void {
    const request = revocation.safeParse(body).data;
    if (request === undefined) throw new OAuth2Error(400, 'invalid_request');
    this.#checkClient(request);
    const grant = this.#refreshTokens.get(request.token) ?? this.#accessTokens.get(request.token);
    if (grant?.applicationId === request.client_id) this.#deauthorize(grant.applicationId, grant.userId);
  }

  deauthorize(userId: string): void {
    this.#deauthorize(this.#state.applicationId, userId);
  }

  #deauthorize(applicationId: string, userId: string): void {
    for (const tokens of [this.#accessTokens, this.#refreshTokens]) {
      for (const [token, grant] of tokens)
        if (grant.userId === userId && grant.applicationId === applicationId) tokens.delete(token);
    }
    if (applicationId === this.#state.applicationId) this.#onRevoked(userId);
  }

  expireAccessTokens(userId: string): void {
    for (const [token, grant] of this.#accessTokens) if (grant.userId === userId) this.#accessTokens.delete(token);
  }

  /** The member of an `Authorization` header with this scope, of any application. @throws DiscordApiError */
  memberOf(authorization: string | undefined, scope: string): string {
    return this.#grantOf(authorization, scope).userId;
  }

  /** The same, of the bot's application. */
  memberOfBot(authorization: string | undefined, scope: string): string {
    const { applicationId, userId } = this.#grantOf(authorization, scope);
    if (applicationId !== this.#state.applicationId) throw errorResponse.missingAccess();
    return userId;
  }

  #grantOf(authorization: string | undefined, scope: string): Grant {
    const grant = this.#accessTokens.get(/^Bearer (.+)$/.exec(authorization ?? '')?.[1] ?? '');
    if (grant === undefined || grant.expiresAt <= this.#state.clock.now()) throw errorResponse.unauthorized();
    if (!grant.scope.split(' ').includes(scope)) throw errorResponse.missingAccess();
    return grant;
  }

  #checkClient({ client_id, client_secret }: { client_id: string; client_secret: string }): void {
    if (this.#applications.get(client_id)?.clientSecret !== client_secret) throw new OAuth2Error(401, 'invalid_client');
  }

  #takeCode({ client_id, code = '', redirect_uri, code_verifier }: z.output<typeof tokenRequest>): Grant {
    const grant = this.#codes.get(code);
    this.#codes.delete(code);
    const { redirectUri, challenge } = grant?.authorization ?? {};
    const isVerified =
      challenge == null ||
      createHash('sha256')
        .update(code_verifier ?? '')
        .digest('base64url') === challenge;
    const isCurrent = grant !== undefined && grant.expiresAt > this.#state.clock.now();
    const isForClient = grant?.applicationId === client_id && redirectUri === redirect_uri;
    if (!isCurrent || !isForClient || !isVerified) throw new OAuth2Error(400, 'invalid_grant');
    return grant;
  }

  #takeRefreshToken({ client_id, refresh_token = '' }: z.output<typeof tokenRequest>): Grant {
    const grant = this.#refreshTokens.get(refresh_token);
    this.#refreshTokens.delete(refresh_token);
    if (grant?.applicationId !== client_id) throw new OAuth2Error(400, 'invalid_grant');
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
