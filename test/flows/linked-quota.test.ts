import { hour, minute } from '@tallyhook/platform/durations';
import { createEncryption } from '@tallyhook/platform/encryption/encryption';
import { generateKeyText } from '@tallyhook/platform/encryption/encryption-key';
import { createLog } from '@tallyhook/platform/log';
import { createRedactor } from '@tallyhook/platform/redactor';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { expect, it } from 'vitest';
import { loadConfig } from '../../config/load.ts';
import { prepareCommunities } from '../../src/features/communities/community-ids.ts';
import { createDirectory, createListingTargets } from '../../src/features/communities/directory.ts';
import { createSettings } from '../../src/features/settings/in-effect.ts';
import { openStore } from '../../src/features/store.ts';
import { sign } from '../../src/webhook/signature.ts';
import { voteSecret } from '../support/listings.ts';
import { newSqliteUrl } from '../support/new-sqlite.ts';
import { settings, unreachableDiscord } from '../support/settings.ts';
import { startApp } from '../support/start-app.ts';

const guildId = '700000000000000001';
const linkedSecret = 'secret-of-the-linked-listing';

/** The program with a listing of the operator and one that the owner of a guild has linked. */
async function startLinked(limits: Record<string, string>) {
  const clock = manualClock();
  const databaseUrl = newSqliteUrl();
  const environment = {
    ...{ ...settings(unreachableDiscord), TALLYHOOK_ROLES: 'receive', SETTINGS_KEY: generateKeyText() },
    ...{ DATABASE_URL: databaseUrl, ...limits },
  };
  const config = loadConfig(environment);
  const log = createLog({ level: 'silent', secrets: [] });

  const store = await openStore(databaseUrl, clock, { thread: false });
  const communityIds = await prepareCommunities(store.communityIds, config.listings);
  const { setup, sync } = createSettings(config, {
    ...{
      store: store.settings,
      directory: createDirectory(config.listings, communityIds.of),
      lookups: { prepare: () => () => {} },
    },
    ...{ targets: createListingTargets(() => undefined), encryption: createEncryption(config.encryption) },
    ...{ redact: createRedactor([]), clock, log, onSaved() {} },
    addCommunities: (guildIds) => communityIds.add(guildIds),
  });
  await sync.load();
  const linked = await setup.link({
    ...{ guildId, authorId: '200000000000000001', interactionId: '1' },
    ...{ kind: 'server', targetId: guildId, lookupKey: 'lookup-key', voteSecret: linkedSecret },
  });
  const onSite = await setup.link({
    ...{ guildId, authorId: '200000000000000001', interactionId: '2' },
    ...{ kind: 'server', targetId: guildId, site: 'discordplace', lookupKey: null, voteSecret: linkedSecret },
  });
  if (linked.status !== 'linked' || onSite.status !== 'linked') throw new Error(JSON.stringify([linked, onSite]));
  await store.close();

  const { url, lines } = await startApp(environment, { clock });
  let votes = 0;
  async function post(path: string, secret: string, padding = 0) {
    votes += 1;
    const timestamp = new Date(clock.now()).toISOString();
    const userId = String(300_000_000_000_000_000n + BigInt(votes));
    const body = JSON.stringify({ event: 'server_vote', userId, timestamp, padding: 'x'.repeat(padding) });
    const headers = { 'x-webhook-signature': sign(body, secret) };
    const response = await fetch(`${url}${path}`, { method: 'POST', headers, body });
    return { status: response.status, retryAfter: Number(response.headers.get('retry-after')) };
  }
  return {
    ...{ clock, lines },
    toLinked: (padding?: number) => post(`/webhooks/${linked.listing.name}/vote`, linkedSecret, padding),
    toOwn: (padding?: number) => post('/webhooks/vote', voteSecret, padding),
    /** A delivery to the listing on another site, with the token in its header. */
    async toSite(path: string, token: string) {
      votes += 1;
      const user = String(400_000_000_000_000_000n + BigInt(votes));
      const body = JSON.stringify({ guild: guildId, user, test: false });
      const address = `${url}/webhooks/${onSite.listing.name}${path}`;
      const response = await fetch(address, { method: 'POST', headers: { authorization: token }, body });
      return response.status;
    },
    forged: () => post(`/webhooks/${linked.listing.name}/vote`, 'another-secret'),
  };
}

it('a linked listing gets 503 beyond its deliveries per hour, and others do not', { timeout: 60_000 }, async () => {
  const { toLinked, toOwn, forged, clock, lines } = await startLinked({ LINKED_DELIVERIES_PER_HOUR: '3' });
  // What anybody can send is not counted.
  for (let sent = 0; sent < 5; sent += 1) expect(await forged()).toMatchObject({ status: 401 });
  for (let sent = 0; sent < 3; sent += 1) expect(await toLinked()).toMatchObject({ status: 200 });
  for (let sent = 0; sent < 3; sent += 1) {
    const { status, retryAfter } = await toLinked();
    expect(status).toBe(503);
    expect(retryAfter).toBeGreaterThan(0);
  }
  for (let sent = 0; sent < 5; sent += 1) expect(await toOwn()).toMatchObject({ status: 200 });
  const warnings = lines.filter((line) => line.includes('"level":40') && line.includes('LINKED_DELIVERIES_PER_HOUR'));
  expect(warnings).toHaveLength(1);
  await clock.advance(hour + 5 * minute);
  expect(await toLinked()).toMatchObject({ status: 200 });
});

it('a linked listing gets 503 beyond its bytes per hour, and others do not', { timeout: 60_000 }, async () => {
  const { toLinked, toOwn } = await startLinked({ LINKED_MIB_PER_HOUR: '1' });
  const padding = 60 * 1024;
  const statuses: number[] = [];
  for (let sent = 0; sent < 20; sent += 1) statuses.push((await toLinked(padding)).status);
  expect(statuses).toEqual([...Array(17).fill(200), ...Array(3).fill(503)]);
  for (let sent = 0; sent < 20; sent += 1) expect(await toOwn(padding)).toMatchObject({ status: 200 });
});

it('a linked listing on another site is received at its address by its token, within the same limits', {
  timeout: 60_000,
}, async () => {
  const { toSite, toLinked } = await startLinked({ LINKED_DELIVERIES_PER_HOUR: '2' });
  for (let sent = 0; sent < 3; sent += 1) expect(await toSite('', 'another-secret')).toBe(401);
  expect(await toSite('/vote', linkedSecret)).toBe(401);
  expect([await toSite('', linkedSecret), await toSite('', linkedSecret)]).toEqual([200, 200]);
  expect(await toSite('', linkedSecret)).toBe(503);
  expect(await toLinked()).toMatchObject({ status: 200 });
});
