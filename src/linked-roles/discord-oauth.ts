import { createHash } from 'node:crypto';
import ky, { TimeoutError } from 'ky';
import { z } from 'zod';
import { second } from '../platform/durations.ts';

/** For one request (ms); less than the 15 s of an attempt. */
const timeoutMs = 8 * second;
const scopes = 'identify role_connections.write';

/** Tokens of a member. */
export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  /** Lifetime of the access token from the response on (ms). */
  readonly lifetimeMs: number;
}

/** What Discord shows of a member for linked roles. Discord: "Application Role Connection Object". */
export interface RoleConnectionBody {
  /** At most 50 characters. */
  readonly platform_name: string;
  /** By the keys of the metadata records; numbers, booleans (0 or 1) and times as texts. */
  readonly metadata: Readonly<Record<string, string>>;
}

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

/** Discord's OAuth2 and what needs a member's token. Methods reject with {@link OAuthError}. */
export interface DiscordOAuth {
  /** The page on which Discord asks the member. @param verifier of the PKCE, sent by {@link exchangeCode} later */
  authorizeUrl(request: { readonly state: string; readonly verifier: string }): Promise<string>;
  exchangeCode(code: string, verifier: string): Promise<Tokens>;
  /** The refresh token cannot be used again. */
  refresh(refreshToken: string): Promise<Tokens>;
  revoke(token: string): Promise<void>;
  /** The member of a token. `locale` is Discord's code of the language, `name` external. */
  currentMember(accessToken: string): Promise<{ readonly id: string; readonly locale: string; readonly name: string }>;
  saveRoleConnection(accessToken: string, body: RoleConnectionBody): Promise<void>;
  deleteRoleConnection(accessToken: string): Promise<void>;
}

/**
 * @param options.apiUrl without the version: `https://discord.com/api`
 * @param options.applicationId asked for with each request; may reject
 * @param options.redirectUrl registered in the developer portal
 */
export function createDiscordOAuth(options: {
  readonly apiUrl: string;
  readonly applicationId: () => Promise<string>;
  readonly clientSecret: string;
  readonly redirectUrl: string;
}): DiscordOAuth {
  const { apiUrl, applicationId, clientSecret, redirectUrl } = options;
  const http = ky.create({ retry: 0, timeout: timeoutMs, throwHttpErrors: false, redirect: 'error' });

  async function send(name: string, url: string, init: Parameters<typeof http>[1]): Promise<unknown> {
    const response = await http(url, init).catch((error: unknown) => {
      throw new OAuthError('unavailable', `${name}: ${error instanceof TimeoutError ? 'timeout' : 'no response'}`);
    });
    const text = await response.text().catch(() => '');
    const body = parseJson(text);
    if (response.ok) return body;
    throw toError(name, response.status, body);
  }

  const requestTokens = async (name: string, fields: Readonly<Record<string, string>>): Promise<Tokens> => {
    const client = { client_id: await applicationId(), client_secret: clientSecret };
    const body = new URLSearchParams({ ...client, ...fields });
    const parsed = tokenResponse.safeParse(await send(name, `${apiUrl}/oauth2/token`, { method: 'post', body }));
    if (!parsed.success) throw new OAuthError('rejected', `${name}: unexpected response`);
    if (!scopes.split(' ').every((scope) => parsed.data.scope.split(' ').includes(scope)))
      throw new OAuthError('rejected', `${name}: the scopes are not those that were requested`);
    const { access_token: accessToken, refresh_token: refreshToken, expires_in } = parsed.data;
    return { accessToken, refreshToken, lifetimeMs: expires_in * second };
  };

  const ofMember = (accessToken: string) => ({ headers: { authorization: `Bearer ${accessToken}` } });
  const connectionUrl = async () => `${apiUrl}/v10/users/@me/applications/${await applicationId()}/role-connection`;

  return {
    async authorizeUrl({ state, verifier }) {
      const query = new URLSearchParams({
        ...{ client_id: await applicationId(), response_type: 'code', redirect_uri: redirectUrl, scope: scopes, state },
        ...{ code_challenge: createHash('sha256').update(verifier).digest('base64url'), code_challenge_method: 'S256' },
        prompt: 'consent',
      });
      return `${apiUrl}/oauth2/authorize?${query}`;
    },
    exchangeCode: (code, verifier) =>
      requestTokens('exchange of the code', {
        ...{ grant_type: 'authorization_code', code, redirect_uri: redirectUrl, code_verifier: verifier },
      }),
    refresh: (refreshToken) =>
      requestTokens('refresh of the token', { grant_type: 'refresh_token', refresh_token: refreshToken }),
    async revoke(token) {
      const client = { client_id: await applicationId(), client_secret: clientSecret };
      const body = new URLSearchParams({ ...client, token });
      await send('revocation', `${apiUrl}/oauth2/token/revoke`, { method: 'post', body });
    },
    async currentMember(accessToken) {
      const user = currentUser.safeParse(await send('user', `${apiUrl}/v10/users/@me`, ofMember(accessToken)));
      if (!user.success) throw new OAuthError('rejected', 'user: unexpected response');
      const { id, locale, username } = user.data;
      return { id, locale, name: username };
    },
    async saveRoleConnection(accessToken, body) {
      await send('role connection', await connectionUrl(), { method: 'put', json: body, ...ofMember(accessToken) });
    },
    async deleteRoleConnection(accessToken) {
      await send('role connection', await connectionUrl(), { method: 'delete', ...ofMember(accessToken) });
    },
  };
}

const tokenResponse = z.object({
  access_token: z.string().min(1).max(2_000),
  refresh_token: z.string().min(1).max(2_000),
  expires_in: z.number().positive(),
  scope: z.string(),
});
const currentUser = z.object({
  id: z.string().regex(/^\d{1,20}$/),
  username: z.string(),
  locale: z.string().default('en-US'),
});
const errorBody = z.object({ error: z.string().optional(), retry_after: z.number().nonnegative().optional() });

function toError(name: string, status: number, body: unknown): OAuthError {
  const { error = '', retry_after: retryAfter } = errorBody.safeParse(body).data ?? {};
  const message = `${name}: ${status}`;
  if (status === 429) return new OAuthError('rateLimited', message, (retryAfter ?? 1) * second);
  if (status >= 500) return new OAuthError('unavailable', message);
  if (status === 401 || error === 'invalid_grant') return new OAuthError('revoked', message);
  return new OAuthError('rejected', error === 'invalid_client' ? `${message} invalid client secret` : message);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
