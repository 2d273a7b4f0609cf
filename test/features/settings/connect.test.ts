import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { systemClock } from '@tallyhook/platform/clock';
import { minute } from '@tallyhook/platform/durations';
import { createEncryption } from '@tallyhook/platform/encryption/encryption';
import { createLog } from '@tallyhook/platform/log';
import { type Browser, browser } from 'listing-service/testing/discord-browser';
import { ownerId, type Running, running, serverId } from 'listing-service/testing/running';
import { visit } from 'listing-service/testing/visit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../../config/load.ts';
import { mayManageGuild } from '../../../src/discord/inspection.ts';
import { createDiscordRest } from '../../../src/discord/rest.ts';
import { createConnect } from '../../../src/features/settings/connect.ts';
import { ownTexts } from '../../../src/texts/texts.ts';
import { localDiscord } from '../../support/local-discord.ts';
import { newSqliteUrl } from '../../support/new-sqlite.ts';
import { setupOver } from '../../support/setup-over.ts';
import { openLedger } from '../../support/voting.ts';

async function listen(create: (url: string) => RequestListener): Promise<string> {
  let listener: RequestListener = () => {};
  const server = createServer((request, response) => listener(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  listener = create(url);
  return url;
}

/** The bot's side of a process, for a service. Webhooks get 404, so that tests do not arrive. */
async function bot(serviceUrl: string) {
  const store = await openLedger(newSqliteUrl(), systemClock);
  const settings = setupOver(store);
  const log = createLog({ level: 'silent', secrets: [] });
  const state = { isManager: true, now: systemClock.now() };
  const now = () => state.now;
  const { encryption } = loadConfig({ TALLYHOOK_ROLES: 'receive', SETTINGS_KEY: 'a'.repeat(64) });
  let tickets: ReturnType<typeof createConnect>['tickets'] | undefined;
  const url = await listen((publicUrl) => {
    const connect = createConnect({
      ...{ serviceUrl, publicUrl, settings, encryption: createEncryption(encryption) },
      cookieSecret: 'c'.repeat(32),
      keyId: async () => (await store.settings.state()).keyId,
      isManager: async () => state.isManager,
      botName: async () => 'Harbour bot',
      reader: { guild: async (id) => ({ id, name: 'Harbour <b>', ownerId, locale: null, icon: 'a', roles: [] }) },
      pictures: { ofGuild: async () => ({ type: 'image/png', bytes: Buffer.from('picture') }) },
      mayLink: () => true,
      ...{ languages: ownTexts, clock: { ...systemClock, now } },
      stopwatch: { ...systemClock, monotonic: now, sleep: async () => {} },
      log,
    });
    tickets = connect.tickets;
    return connect.routes;
  });
  if (tickets === undefined) throw new Error('The server was not created.');
  const linked = async () => (await settings.read(serverId)).listings.map(({ name }) => name);
  return { url, state, tickets, settings, linked };
}

/** Goes to the service, and approves there; returns the address of the way back. */
async function approve(all: Running, start: string, visitor: Browser): Promise<string> {
  const { location } = await visitor.open(start);
  const owner = await visit(all, ownerId);
  const approved = await owner.send(new URL(location).pathname, { decision: 'connect' });
  return approved.headers.get('location') ?? '';
}

async function connecting() {
  const all = await running();
  const harbour = await bot(all.service.baseUrl);
  const { ticket, listing } = await harbour.tickets.issue(serverId, ownerId);
  return { all, ...harbour, listing, start: `${harbour.url}/connect/${ticket}` };
}

describe('the way of a browser from /setup to the service and back', { timeout: 30_000 }, () => {
  it('links the listing with the secrets of the service, and says that the test has not arrived', async () => {
    const { all, start, linked, listing, settings } = await connecting();
    const visitor = browser();
    const { text } = await visitor.open(await approve(all, start, visitor));
    expect(text).toContain('its test has not arrived');
    expect(text).toContain('<bdi>Harbour &#60;b&#62;</bdi>');
    expect(text).toContain('src="data:image/png;base64,cGljdHVyZQ=="');
    expect(await linked()).toEqual([listing]);
    const community = await settings.read(serverId);
    expect(community.listings[0]).toMatchObject({ hasLookupKey: true, voteSecrets: 1, premiumSecrets: 1 });
    expect(community.latestChange).toMatchObject({ authorId: ownerId });
    expect(visitor.cookieNames()).toEqual([]);
  });

  it('ends in another browser, with another state, and without a code', async () => {
    const { all, start, linked } = await connecting();
    const visitor = browser();
    const back = await approve(all, start, visitor);
    expect((await browser().open(back)).status).toBe(400);
    const forged = new URL(back);
    forged.searchParams.set('state', 'a'.repeat(43));
    expect((await visitor.open(forged.href)).status).toBe(400);
    // The attempt has ended with the wrong state.
    expect((await visitor.open(back)).status).toBe(400);
    expect(await linked()).toEqual([]);
  });

  it('ends for a member who may not manage the server any more, before the code is used', async () => {
    const { all, start, linked, state } = await connecting();
    const visitor = browser();
    const back = await approve(all, start, visitor);
    state.isManager = false;
    const { status, text } = await visitor.open(back);
    expect([status, text]).toEqual([403, expect.stringContaining('Manage Server')]);
    expect(await linked()).toEqual([]);
    const { text: dashboard } = await (await visit(all, ownerId)).open(`/dashboard/${serverId}`);
    expect(dashboard).not.toContain('Connect: Harbour bot');
    expect((await browser().open(start)).status).toBe(403);
  });

  it('does not accept the code of another request', async () => {
    const { all, start, linked } = await connecting();
    const other = new URL(await approve(all, start, browser()));
    const visitor = browser();
    const back = new URL(await approve(all, start, visitor));
    back.searchParams.set('code', other.searchParams.get('code') ?? '');
    expect((await visitor.open(back.href)).status).toBe(503);
    expect(await linked()).toEqual([]);
  });

  it('ends after ten minutes, and with a link that was changed', async () => {
    const { all, start, state } = await connecting();
    const visitor = browser();
    const back = await approve(all, start, visitor);
    // Not the last character, some of whose bits are padding.
    const changed = start.replace(/.(?=.{8}$)/, (each) => (each === 'A' ? 'B' : 'A'));
    expect((await browser().open(changed)).status).toBe(400);
    state.now += 11 * minute;
    expect((await visitor.open(back)).status).toBe(400);
    expect((await browser().open(start)).status).toBe(400);
  });

  it('links nothing that a service grants for another server', async () => {
    const secret = 's'.repeat(32);
    let state = '';
    const service = await listen((url) => async (request, response) => {
      const { pathname } = new URL(request.url ?? '/', url);
      const webhook = { url, secret };
      const bodies: Readonly<Record<string, object>> = {
        '/.well-known/vote-connect': {
          version: 1,
          request_endpoint: `${url}/request`,
          token_endpoint: `${url}/token`,
          test_endpoint: `${url}/test`,
        },
        '/request': { consent_url: `${url}/consent` },
        '/token': {
          ...{ guild: serverId, member: ownerId, listing: { kind: 'server', id: '700000000000000001' } },
          ...{ key: 'key-of-another', webhooks: { vote: webhook, premium: webhook } },
        },
      };
      if (pathname === '/request') ({ state } = (await json(request)) as { state: string });
      response.setHeader('content-type', 'application/json').end(JSON.stringify(bodies[pathname] ?? {}));
    });
    const { url, tickets, linked } = await bot(`${service}/api/v1`);
    const { ticket } = await tickets.issue(serverId, ownerId);
    const visitor = browser();
    expect((await visitor.open(`${url}/connect/${ticket}`)).location).toBe(`${service}/consent`);
    const back = `${url}/connect/callback?code=code&state=${state}`;
    expect((await visitor.open(back)).status).toBe(503);
    expect(await linked()).toEqual([]);
  });
});

it('only members with Manage Server may manage a guild, by the word of Discord', async () => {
  const discord = await localDiscord();
  const rest = createDiscordRest({ token: discord.token, apiUrl: discord.apiUrl });
  const [owner, member] = discord.members;
  const may = (userId = '', guildId = discord.guildId) => mayManageGuild(rest, { guildId, userId, now: Date.now() });
  expect(await may(owner?.id)).toBe(true);
  expect(await may(member?.id)).toBe(false);
  expect(await may('700000000000000009')).toBe(false);
  expect(await may(owner?.id, '700000000000000009')).toBe(false);
});
