import { createOAuthClient, errorOfResponse } from '@tallyhook/platform/discord-oauth/oauth-client';
import type { LocalDiscord } from 'local-discord';
import { describe, expect, it } from 'vitest';
import { localDiscord } from '../../support/local-discord.ts';

const other = { id: '1190000000000000003', name: 'Listing service', clientSecret: 'a secret' };
const redirectUrl = 'https://list.example/callback';
const verifier = 'a verifier of a test, which is long enough for PKCE';

function clientOf({ apiUrl }: LocalDiscord, applicationId = other.id, clientSecret = other.clientSecret) {
  return createOAuthClient({
    ...{ apiUrl: () => apiUrl, applicationId: () => Promise.resolve(applicationId), clientSecret, redirectUrl },
  });
}

/** The code that Discord issues to the first member. */
async function codeFor(discord: LocalDiscord, client: ReturnType<typeof clientOf>, scope: string): Promise<string> {
  const url = await client.authorizeUrl({ scope, state: 'state', verifier });
  const body = new URLSearchParams({ user: discord.members[0]?.id ?? '', decision: 'authorize' });
  const { headers } = await fetch(url, { method: 'POST', body, redirect: 'manual' });
  return new URL(headers.get('location') ?? '').searchParams.get('code') ?? '';
}

const withApplication = () => localDiscord({ applications: [{ ...other, redirectUris: [redirectUrl] }] });

describe('a client of OAuth2', () => {
  it('does not take a wrong client secret for a permission that the member has withdrawn', async () => {
    const discord = await withApplication();
    const scope = 'identify';
    const client = clientOf(discord);
    const { refreshToken } = await client.exchangeCode({
      scope,
      verifier,
      code: await codeFor(discord, client, scope),
    });
    const wrong = clientOf(discord, other.id, 'wrong').refresh({ scope, refreshToken });
    await expect(wrong).rejects.toMatchObject({
      reason: 'rejected',
      message: expect.stringContaining('client secret'),
    });
    const { accessToken } = await client.refresh({ scope, refreshToken });
    await client.revoke(accessToken);
    await expect(client.currentUser(accessToken)).rejects.toMatchObject({ reason: 'revoked' });
  });

  it('gets no more than its scope and its application allow', async () => {
    const discord = await withApplication();
    const ofBot = clientOf(discord, discord.applicationId, discord.clientSecret);
    const client = clientOf(discord);
    const code = await codeFor(discord, client, 'identify');
    // A code is for the application that the member has seen.
    const exchange = ofBot.exchangeCode({ scope: 'identify', code, verifier });
    await expect(exchange).rejects.toMatchObject({ reason: 'revoked' });
    const scope = 'identify role_connections.write';
    const { accessToken } = await client.exchangeCode({ scope, verifier, code: await codeFor(discord, client, scope) });
    const guilds = client.send('guilds', accessToken, { method: 'get', path: '/users/@me/guilds' });
    await expect(guilds).rejects.toMatchObject({ reason: 'rejected' });
    const path = `/users/@me/applications/${discord.applicationId}/role-connection`;
    const connection = client.send('connection', accessToken, { method: 'get' as const, path });
    await expect(connection).rejects.toMatchObject({ reason: 'rejected' });
    // The tokens of one application survive the revocation of another's.
    const ofBotToken = await ofBot.exchangeCode({ scope, verifier, code: await codeFor(discord, ofBot, scope) });
    await client.revoke(accessToken);
    expect(await ofBot.currentUser(ofBotToken.accessToken)).toMatchObject({ name: 'mira' });
  });

  it('may send members to registered addresses only', async () => {
    const discord = await withApplication();
    const url = new URL(await clientOf(discord).authorizeUrl({ scope: 'identify', state: 'state', verifier }));
    expect((await fetch(url)).status).toBe(200);
    url.searchParams.set('redirect_uri', 'https://list.example/elsewhere');
    const page = await fetch(url);
    expect([page.status, await page.text()]).toEqual([400, 'Invalid OAuth2 redirect_uri\n']);
  });
});

describe('an error response', () => {
  it.each([
    [{ status: 429, body: { retry_after: 2.5 }, retryAfter: '9' }, 'rateLimited', 2_500],
    [{ status: 429, body: undefined, retryAfter: '9' }, 'rateLimited', 9_000],
    [{ status: 429, body: undefined, retryAfter: null }, 'rateLimited', 1_000],
    [{ status: 502, body: undefined, retryAfter: null }, 'unavailable', null],
    [{ status: 400, body: { error: 'invalid_grant' }, retryAfter: null }, 'revoked', null],
    [{ status: 401, body: { message: '401: Unauthorized' }, retryAfter: null }, 'revoked', null],
    [{ status: 401, body: { error: 'invalid_client' }, retryAfter: null }, 'rejected', null],
  ])('%j is %s', (response, reason, retryAfterMs) => {
    expect(errorOfResponse('test', response)).toMatchObject({ reason, retryAfterMs });
  });
});
