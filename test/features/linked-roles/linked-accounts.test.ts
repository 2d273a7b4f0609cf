import { errorOfResponse, OAuthClient } from '@tallyhook/platform/discord-oauth/oauth-client';
import { day, hour } from '@tallyhook/platform/durations';
import { createOffsetClock } from '@tallyhook/platform/testing/offset-clock';
import { type Browser, browser } from 'listing-service/testing/discord-browser';
import type { LocalDiscord } from 'local-discord';
import { describe, expect, it, vi } from 'vitest';
import { roleConnectionRecords } from '../../../src/features/linked-roles/parts.ts';
import { localDiscord } from '../../support/local-discord.ts';
import { type Installation, startInstallation } from '../../support/start-installation.ts';

const publicUrl = 'http://votes.example';
const waitOptions = { timeout: 30_000, interval: 50 };

/** A browser of one member, which reaches the program as `publicUrl`. */
function browserOf({ url }: Installation) {
  const { open, cookieNames } = browser();
  return {
    cookieNames,
    open: (address: string, init?: Parameters<Browser['open']>[1]) => open(address.replace(publicUrl, url), init),
  };
}

async function startLinked(changes: Record<string, string> = {}) {
  const clock = createOffsetClock();
  const installation = await startInstallation({ PUBLIC_URL: publicUrl, ...changes }, clock);
  const { discord, post } = installation;
  discord.connections.saveRecords(roleConnectionRecords());
  // Connected: a client that connects meanwhile would take an advance of the clock for an outage.
  await vi.waitFor(() => expect(discord.commands().map(({ name }) => name)).toContain('privacy'), waitOptions);
  const [, member] = discord.members;
  if (member === undefined) throw new Error('no member');
  const userId = member.id;
  const decide = (decision: 'authorize' | 'cancel') => ({
    method: 'POST',
    body: new URLSearchParams({ user: userId, decision }),
  });
  const ownBrowser = browserOf(installation);
  /** Up to Discord's redirect back, which is returned. */
  const authorize = async (decision: 'authorize' | 'cancel' = 'authorize', { open } = ownBrowser) => {
    const start = await open(`${publicUrl}/linked-roles`);
    const consent = await open(start.location);
    expect(consent.text).toContain('Update your connection and metadata');
    return (await open(start.location, decide(decision))).location;
  };
  const values = () => discord.connections.connectionOf(userId).metadata;
  return {
    ...{ ...installation, clock, userId, authorize, values, browser: ownBrowser },
    /** After a first vote. */
    link: async () => {
      await vote();
      const back = await authorize();
      return ownBrowser.open(back);
    },
    untilValues: (expected: object) => vi.waitFor(() => expect(values()).toMatchObject(expected), waitOptions),
    vote,
  };

  async function vote() {
    const timestamp = new Date(clock.now()).toISOString();
    expect((await post('/webhooks/vote', { event: 'server_vote', userId, timestamp })).json).toMatchObject({
      outcome: 'recorded',
    });
    clock.advance(13 * hour);
  }
}

describe('linked roles', { timeout: 60_000 }, () => {
  it('are given by Discord after the member has linked the account and voted', async () => {
    const { discord, link, vote, untilValues, userId, lines, browser } = await startLinked();
    discord.connections.linkRole(discord.roles.regular, [{ key: 'votes', value: 2 }]);
    const page = await link();
    expect(page).toMatchObject({ status: 200, text: expect.stringContaining('@tomas.k') });
    await untilValues({ votes: '1', streak: expect.any(String), premium: '0', last_vote: expect.any(String) });
    expect(discord.rolesOf(userId)).not.toContain(discord.roles.regular);
    await vote();
    await untilValues({ votes: '2' });
    expect(discord.rolesOf(userId)).toContain(discord.roles.regular);
    expect(browser.cookieNames()).toEqual([]);
    expect(lines.join('\n')).not.toMatch(/access_token|refresh_token|code=/);
  });

  it('are taken away after the account is unlinked', async () => {
    const { discord, link, untilValues, values, userId } = await startLinked();
    discord.connections.linkRole(discord.roles.regular, [{ key: 'votes', value: 1 }]);
    await link();
    await untilValues({ votes: '1' });
    const unlink = discord.runCommand({
      ...{ name: 'privacy', options: { action: 'unlink' }, userId, channelId: discord.channels.general },
    });
    expect((await unlink.settled).embeds[0]?.description).toContain('no longer linked');
    expect(values()).toEqual({});
    expect(discord.rolesOf(userId)).not.toContain(discord.roles.regular);
  });

  it('use a new access token when the old one has expired, and end silently when the member revokes', async () => {
    const { link, vote, untilValues, discord, userId, clock, lines } = await startLinked();
    await link();
    await untilValues({ votes: '1' });
    clock.advance(8 * day);
    discord.oauth.expireAccessTokens(userId);
    await vote();
    await untilValues({ votes: '2' });
    discord.oauth.deauthorize(userId);
    clock.advance(8 * day);
    await vote();
    await vi.waitFor(() => expect(lines.join('\n')).toContain('has withdrawn the permission'), waitOptions);
  });
});

describe('the link page', { timeout: 60_000 }, () => {
  it('rejects a forged state, a replayed callback, another browser, and a refusal', async () => {
    const installation = await startLinked();
    const { authorize, browser, userId, app } = installation;
    const back = await authorize();
    const forged = back.replace(/state=[^&]+/, 'state=forged');
    expect(await browserOf(installation).open(back)).toMatchObject({ status: 400 });
    expect(await browser.open(forged)).toMatchObject({ status: 400, text: expect.stringContaining('expired') });
    // The cookie is valid for one callback.
    expect(await browser.open(back)).toMatchObject({ status: 400 });
    const again = await authorize();
    expect(await browser.open(again)).toMatchObject({ status: 200 });
    expect(await browser.open(again)).toMatchObject({ status: 400 });
    const refused = await authorize('cancel');
    expect(await browser.open(refused)).toMatchObject({ status: 400, text: expect.stringContaining('permission') });
    expect(await app.ledger.account(userId)).toBe(null);
  });

  it('limits the requests of an address', async () => {
    const { browser } = await startLinked();
    const statuses = [];
    for (let count = 0; count < 32; count += 1)
      statuses.push((await browser.open(`${publicUrl}/linked-roles/callback`)).status);
    expect(statuses.slice(-2)).toEqual([429, 429]);
    expect(statuses[0]).toBe(400);
  });

  it('does not exist without PUBLIC_URL', async () => {
    const { url } = await startInstallation();
    expect((await fetch(`${url}/linked-roles`)).status).toBe(404);
  });
});

const other = { id: '1190000000000000003', name: 'Listing service', clientSecret: 'a secret' };
const redirectUrl = 'https://list.example/callback';
const verifier = 'a verifier of a test, which is long enough for PKCE';

function clientOf({ apiUrl }: LocalDiscord, applicationId = other.id, clientSecret = other.clientSecret) {
  return new OAuthClient({
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
});

describe('an error response', () => {
  it.each([
    [{ status: 429, body: { retry_after: 2.5 }, retryAfter: '9' }, 'rateLimited', 2_500],
    [{ status: 429, body: undefined, retryAfter: '9' }, 'rateLimited', 9_000],
    [{ status: 400, body: { error: 'invalid_grant' }, retryAfter: null }, 'revoked', null],
    [{ status: 401, body: { message: '401: Unauthorized' }, retryAfter: null }, 'revoked', null],
    [{ status: 401, body: { error: 'invalid_client' }, retryAfter: null }, 'rejected', null],
  ])('%j is %s', (response, reason, retryAfterMs) => {
    expect(errorOfResponse('test', response)).toMatchObject({ reason, retryAfterMs });
  });
});
