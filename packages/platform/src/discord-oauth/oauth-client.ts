import { createHash } from 'node:crypto';
import ky, { TimeoutError } from 'ky';
import { z } from 'zod';
import type { Clock } from '../clock.ts';
import { second } from '../durations.ts';
import { parseJson } from '../json.ts';
import { snowflakePattern } from '../snowflake.ts';
import { settleWithin } from '../with-timeout.ts';

/** For one request (ms); less than the 15 s of an attempt. */
const timeoutMs = 8 * second;

/** How long a page waits for a revocation, which it does not need (ms). */
const revocationTimeoutMs = 2 * second;

/** Tokens of a member. */
export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  /** Lifetime of the access token from the response on (ms). */
  readonly lifetimeMs: number;
}

/** The member of a token. */
export interface OAuthUser {
  readonly id: string;
  /** Discord's code of the language. */
  readonly locale: string;
  /** Chosen by the member. */
  readonly name: string;
}

/** A code of Discord with the scopes that it should grant, separated by spaces, and the verifier of the PKCE. */
type CodeGrant = Readonly<Record<'scope' | 'code' | 'verifier', string>>;

interface OAuthClientOptions {
  /** Without the version: `https://discord.com/api`. Called for each request. */
  readonly apiUrl: () => string;
  /** Called for each request; may reject. */
  readonly applicationId: () => Promise<string>;
  readonly clientSecret: string;
  /** Registered in the developer portal. */
  readonly redirectUrl: string;
}

const http = ky.create({ retry: 0, timeout: timeoutMs, throwHttpErrors: false, redirect: 'error' });

/** An application's OAuth2 at Discord: code grant with PKCE. Methods reject with {@link OAuthError}. */
export class OAuthClient {
  readonly #options: OAuthClientOptions;

  constructor(options: OAuthClientOptions) {
    this.#options = options;
  }

  /**
   * The page on which Discord asks the member.
   * @param request `scope`: names, separated by spaces; `verifier` of the PKCE, sent by `exchangeCode` later
   */
  async authorizeUrl({ scope, state, verifier }: Record<'scope' | 'state' | 'verifier', string>): Promise<string> {
    const { apiUrl, applicationId, redirectUrl } = this.#options;
    const query = new URLSearchParams({
      client_id: await applicationId(),
      response_type: 'code',
      redirect_uri: redirectUrl,
      scope,
      state,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      prompt: 'consent',
    });
    return `${apiUrl()}/oauth2/authorize?${query.toString()}`;
  }

  /** Rejects tokens that lack one of the scopes. */
  exchangeCode({ scope, code, verifier }: CodeGrant): Promise<Tokens> {
    const redirect_uri = this.#options.redirectUrl;
    const fields = { grant_type: 'authorization_code', code, redirect_uri, code_verifier: verifier };
    return this.#requestTokens('exchange of the code', scope, fields);
  }

  /** Exchanges a code for a token that is revoked after its use. */
  async useOnce<Result>(
    grant: CodeGrant,
    clock: Clock,
    use: (accessToken: string) => Promise<Result>,
  ): Promise<Result> {
    const { accessToken } = await this.exchangeCode(grant);
    try {
      return await use(accessToken);
    } finally {
      await settleWithin(revocationTimeoutMs, clock, this.revoke(accessToken));
    }
  }

  /** The refresh token cannot be used again. */
  refresh({ scope, refreshToken }: Record<'scope' | 'refreshToken', string>): Promise<Tokens> {
    const fields = { grant_type: 'refresh_token', refresh_token: refreshToken };
    return this.#requestTokens('refresh of the token', scope, fields);
  }

  /** Ends all tokens that the application has of the member. */
  async revoke(token: string): Promise<void> {
    await this.#post('revocation', '/oauth2/token/revoke', { token });
  }

  /** The member of a token; needs the scope `identify`. */
  async currentUser(accessToken: string): Promise<OAuthUser> {
    const user = userResponse.safeParse(await this.send('user', accessToken, { method: 'get', path: '/users/@me' }));
    if (!user.success) throw new OAuthError('rejected', 'user: unexpected response');
    const { id, locale, username } = user.data;
    return { id, locale, name: username };
  }

  /**
   * A request of the member.
   * @param name for error messages
   * @param request `path`: begins with a slash, without the version of the API
   * @returns the body as parsed JSON; undefined for any other
   */
  send(
    name: string,
    accessToken: string,
    request: { readonly method: 'get' | 'put' | 'delete'; readonly path: string; readonly json?: object },
  ): Promise<unknown> {
    const { method, path, json } = request;
    const headers = { authorization: `Bearer ${accessToken}` };
    return this.#request(name, `/v10${path}`, { method, headers, ...(json !== undefined && { json }) });
  }

  async #requestTokens(name: string, scope: string, fields: Readonly<Record<string, string>>): Promise<Tokens> {
    const parsed = tokenResponse.safeParse(await this.#post(name, '/oauth2/token', fields));
    if (!parsed.success) throw new OAuthError('rejected', `${name}: unexpected response`);
    const granted = parsed.data.scope.split(' ');
    if (!scope.split(' ').every((each) => granted.includes(each)))
      throw new OAuthError('rejected', `${name}: the scopes are not those that were requested`);
    const { access_token: accessToken, refresh_token: refreshToken, expires_in } = parsed.data;
    return { accessToken, refreshToken, lifetimeMs: expires_in * second };
  }

  /** A request of the application itself. */
  async #post(name: string, path: string, fields: Readonly<Record<string, string>>): Promise<unknown> {
    const { applicationId, clientSecret } = this.#options;
    const client = { client_id: await applicationId(), client_secret: clientSecret };
    return this.#request(name, path, { method: 'post', body: new URLSearchParams({ ...client, ...fields }) });
  }

  async #request(name: string, path: string, init: Parameters<typeof http>[1]): Promise<unknown> {
    const response = await http(`${this.#options.apiUrl()}${path}`, init).catch((error: unknown) => {
      throw new OAuthError('unavailable', `${name}: ${error instanceof TimeoutError ? 'timeout' : 'no response'}`);
    });
    const text = await response.text().catch(() => '');
    const body = parseJson(text);
    if (response.ok) return body;
    throw errorOfResponse(name, { status: response.status, body, retryAfter: response.headers.get('retry-after') });
  }
}

const tokenResponse = z.object({
  access_token: z.string().min(1).max(2_000),
  refresh_token: z.string().min(1).max(2_000),
  expires_in: z.number().positive(),
  scope: z.string(),
});
const userResponse = z.object({
  id: z.string().regex(/^\d{1,20}$/),
  username: z.string(),
  locale: z.string().default('en-US'),
});

/**
 * A request failed. `revoked`: the member has withdrawn the permission, or the code or token was used before.
 * `rateLimited`: with the delay that Discord requires (ms). `unavailable`: no response, or a 5xx. `rejected`: any other
 * error response. The message contains no token.
 */
export class OAuthError extends Error {
  readonly reason: 'revoked' | 'rateLimited' | 'unavailable' | 'rejected';
  readonly retryAfterMs: number | null;

  constructor(reason: OAuthError['reason'], message: string, retryAfterMs: number | null = null) {
    super(message);
    this.reason = reason;
    this.retryAfterMs = retryAfterMs;
  }
}

const errorBody = z.object({ error: z.string().optional(), retry_after: z.number().nonnegative().optional() });

/**
 * @param name of the request, for the message
 * @param response `body`: parsed JSON, undefined for any other; `retryAfter`: the header, which Discord's proxy sends
 *   without JSON
 */
export function errorOfResponse(
  name: string,
  response: { readonly status: number; readonly body: unknown; readonly retryAfter: string | null },
): OAuthError {
  const { status } = response;
  const { error = '', retry_after: retryAfter } = errorBody.safeParse(response.body).data ?? {};
  const message = `${name}: ${status}`;
  if (status === 429) {
    const seconds = retryAfter ?? Number.parseFloat(response.retryAfter ?? '');
    return new OAuthError('rateLimited', message, (seconds >= 0 ? seconds : 1) * second);
  }
  if (status >= 500) return new OAuthError('unavailable', message);
  // Also a 401: the member has not withdrawn anything.
  if (error === 'invalid_client') return new OAuthError('rejected', `${message} invalid client secret`);
  if (status === 401 || error === 'invalid_grant') return new OAuthError('revoked', message);
  return new OAuthError('rejected', message);
}

const count = z
  .int()
  .nonnegative()
  .max(2 ** 31 - 1)
  .nullish()
  .catch(null);

const guildsResponse = z.array(
  z.object({
    id: z.string().regex(snowflakePattern),
    name: z.string(),
    icon: z.string().regex(/^\w+$/).nullish().catch(null),
    owner: z.boolean(),
    permissions: z.string().regex(/^\d{1,30}$/),
    approximate_member_count: count,
    approximate_presence_count: count,
  }),
);

/** A server of a member. The name is external text. Discord: "Get Current User Guilds". */
export type ManagedGuild = z.infer<typeof guildsResponse>[number];

/** "Administrator" and "Manage Server". Discord: "Permissions", bitwise permission flags. */
const managingPermissions = (1n << 3n) | (1n << 5n);

/**
 * The servers that the member of a token owns or may manage: all of a member's servers, at most 200, fit into one
 * response. Needs the scope `guilds`. Rejects with {@link OAuthError}.
 */
export async function readManagedGuilds(
  client: Pick<OAuthClient, 'send'>,
  accessToken: string,
): Promise<readonly ManagedGuild[]> {
  const path = '/users/@me/guilds?with_counts=true';
  const guilds = guildsResponse.safeParse(await client.send('guilds', accessToken, { method: 'get', path }));
  if (!guilds.success) throw new OAuthError('rejected', 'guilds: unexpected response');
  return guilds.data.filter(({ owner, permissions }) => owner || (BigInt(permissions) & managingPermissions) !== 0n);
}
