import { join } from 'node:path';
import { hour, minute } from '@tallyhook/platform/durations';
import { createLog } from '@tallyhook/platform/log';
import { collectingLog } from '@tallyhook/platform/testing/collecting-log';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../../config/load.ts';
import type { Config, ListingConfig } from '../../../config/schema.ts';
import { createReceiver } from '../../../src/app/receiver-app.ts';
import { createMetrics } from '../../../src/core/metrics.ts';
import { withoutSecrets } from '../../../src/core/receiving/listing.ts';
import { configuredOffer } from '../../../src/features/communities/command-context.ts';
import { prepareCommunities } from '../../../src/features/communities/community-ids.ts';
import { createDirectory } from '../../../src/features/communities/directory.ts';
import { listingsByGuild } from '../../../src/features/communities/listings.ts';
import { LookupClients } from '../../../src/features/communities/lookup-clients.ts';
import { memoryKeyv } from '../../../src/lookup/memory-keyv.ts';
import type { Vote } from '../../../src/webhook/event.ts';
import { sign } from '../../../src/webhook/signature.ts';
import { communityIdsOf } from '../../support/communities.ts';
import { premiumSecret, voteSecret } from '../../support/listings.ts';
import { environmentWith, harbour } from '../../support/listings-file.ts';
import { newSqliteUrl } from '../../support/new-sqlite.ts';
import { openLedger } from '../../support/voting.ts';

const [guild, otherGuild, strange] = ['700000000000000001', '700000000000000002', '700000000000000003'];
const channel = '500000000000000001';

function listing(name: string, guildId: string | null, changes: Partial<ListingConfig> = {}): ListingConfig {
  const [configured] = loadConfig(environmentWith([{ ...harbour, name }])).listings;
  if (configured === undefined) throw new Error('no listing');
  return { ...configured, guildId, announceChannelId: null, ...changes };
}

const namesOf = (communities: readonly { readonly listings: readonly { readonly name: string }[] }[]) =>
  communities.map(({ listings }) => listings.map(({ name }) => name));

describe('the directory', () => {
  it('covers in a guild its own listings, in direct messages all, and in a strange guild all', () => {
    const directory = createDirectory(
      [listing('a', guild), listing('b', otherGuild), listing('c', guild)],
      communityIdsOf([listing('a', guild), listing('b', otherGuild), listing('c', guild)]),
    );
    expect(namesOf(directory.inGuild(guild))).toEqual([['a', 'c']]);
    expect(namesOf(directory.inGuild(otherGuild))).toEqual([['b']]);
    expect(namesOf(directory.inGuild(strange))).toEqual([['a', 'c'], ['b']]);
    expect(
      namesOf(createDirectory([listing('a', guild)], communityIdsOf([listing('a', guild)])).inGuild(strange)),
    ).toEqual([['a']]);
    expect(namesOf(directory.inGuild(null))).toEqual([['a', 'c'], ['b']]);
    expect(directory.isShared).toBe(false);
  });

  it('replaces one community at a time, and tells its listeners only of changes', () => {
    const directory = createDirectory(
      [listing('a', guild), listing('b', otherGuild)],
      communityIdsOf([listing('a', guild), listing('b', otherGuild)]),
    );
    let changes = 0;
    directory.onChange(() => {
      changes += 1;
    });
    const before = directory.inGuild(otherGuild);
    directory.replace(listingsByGuild([listing('a', guild)]));
    expect(changes).toBe(0);
    directory.replace(listingsByGuild([listing('a', guild, { announceChannelId: channel })]));
    expect(changes).toBe(1);
    expect(directory.inChannel(channel).map(({ name }) => name)).toEqual(['a']);
    expect(directory.inGuild(otherGuild)).toBe(before);
    directory.replace(new Map([[guild, []]]));
    expect(directory.find('a')).toBeUndefined();
    expect(directory.inChannel(channel)).toEqual([]);
    expect(directory.listings.map(({ name }) => name)).toEqual(['b']);
  });
});

const member = '80351110224678912';
const start = Date.UTC(2026, 0, 1);

async function openClients(config: Config, clock = manualClock(start)) {
  const store = await openLedger(newSqliteUrl(), clock);
  const communityIds = await prepareCommunities(store.communityIds, config.listings);
  const context = { store, communityIds, cache: memoryKeyv(), metrics: createMetrics(), clock };
  const log = createLog({ level: 'silent', secrets: [] });
  return { store, clients: new LookupClients(config, { ...context, log }) };
}

/** The clients of listings on other sites, over a ledger. */
async function startClients() {
  const clock = manualClock(start);
  const common = { kind: 'bot', id: '716390085896962058', voteSecrets: ['whs_secret'] };
  const config = loadConfig(
    environmentWith([
      { ...common, name: 'lamp', site: 'topgg', siteKey: 'key' },
      { ...common, name: 'lamp-keyless', site: 'topgg' },
      { ...common, name: 'lamp-elsewhere', site: 'discords' },
    ]),
  );
  const { clients, store } = await openClients(config, clock);
  const listing = createDirectory(config.listings, communityIdsOf(config.listings)).find('lamp');
  if (listing === undefined) throw new Error('no listing');
  const vote = (at: number, nextVoteAt: number | null) => {
    const event: Vote = {
      ...{ family: 'vote', kind: 'bot_vote', target: { kind: 'bot', id: null }, userId: member, at },
      ...{ creditsAwarded: null, denial: null, atSite: { id: null, weight: 1, nextVoteAt } },
    };
    const routed = { type: 'event', event, listing: withoutSecrets(listing) } as const;
    return store.recorder.record({ receivedAt: at, family: 'vote', body: '{}' }, routed);
  };
  return { clients, clock, vote };
}

it('the ledger says when the next vote is due as the delivery of the last one did', async () => {
  const { clients, clock, vote } = await startClients();
  const statusOf = async () => (await clients.find('lamp')?.lookup.voteStatus(member))?.value;
  await vote(start, start + 4 * hour);
  await clock.advance(hour);
  expect(await statusOf()).toMatchObject({ canVote: false, lastVoteAt: start, nextVoteAt: start + 4 * hour });
  await clock.advance(4 * hour);
  await vote(start + 5 * hour, null);
  expect(await statusOf()).toMatchObject({ canVote: false, nextVoteAt: start + 17 * hour });
});

it('a listing whose site cannot be asked is marked', async () => {
  const { clients } = await startClients();
  const silent = ['lamp', 'lamp-keyless', 'lamp-elsewhere'].map((name) => clients.find(name)?.isSilent);
  expect(silent).toEqual([false, true, true]);
});

it('offers the same listings in the same order as the configuration alone, by which doctor compares the registered commands', async () => {
  const site = { voteSecrets: ['secret'] };
  const service = { lookupKey: 'key', voteSecrets: ['secret'] };
  const config = loadConfig(
    environmentWith([
      { ...site, name: 'a', kind: 'bot', id: '716390085896962058', site: 'topgg' },
      { ...site, name: 'b', kind: 'server', id: '613425648685547541', site: 'disurl' },
      { ...service, name: 'c', kind: 'bot' },
      { ...service, name: 'd', kind: 'server' },
    ]),
  );
  const { clients } = await openClients(config);
  const names = (listed: readonly { readonly name: string }[]) => listed.map(({ name }) => name);
  expect(names(clients.of(config.listings))).toEqual(['d', 'c', 'b', 'a']);
  const offer = await configuredOffer(config, async () => false);
  expect(names(offer.listings)).toEqual(['d', 'c', 'b', 'a']);
  const sites = (listed: readonly { readonly site?: object | undefined }[]) => listed.map(({ site }) => site);
  expect(sites(offer.listings)).toEqual(sites(clients.of(config.listings)));
});

it('a listing that is no longer on another site is looked up at the service', async () => {
  const common = { name: 'lamp', kind: 'bot', id: '716390085896962058', voteSecrets: ['whs_secret'] };
  const load = (listing: object) => loadConfig(environmentWith([{ ...common, ...listing }]));
  const { clients } = await openClients(load({ site: 'topgg', siteKey: 'key' }));
  const before = clients.find('lamp');
  expect(before?.site?.id).toBe('topgg');
  clients.prepare(load({ lookupKey: 'key-of-service' }).listings)();
  const after = clients.find('lamp');
  expect([after?.site, after?.isSilent, clients.findSite('lamp')]).toEqual([undefined, false, null]);
  clients.prepare(load({ lookupKey: 'key-of-service' }).listings)();
  expect(clients.find('lamp')).toBe(after);
});

const own = '700000000000000001';
const another = '700000000000000002';

let members = 0;
/** A vote of a new member, or a purchase; returns its outcome. */
async function deliver(url: string | null, now: number, fields: object, secret = voteSecret): Promise<unknown> {
  members += 1;
  const common = { userId: String(members), timestamp: new Date(now).toISOString() };
  const body = JSON.stringify({ event: 'server_vote', ...common, ...fields });
  const headers = { 'x-webhook-signature': sign(body, secret) };
  const response = await fetch(`${url}/webhooks`, { method: 'POST', headers, body });
  return ((await response.json()) as { outcome?: string }).outcome;
}

/** A receiver with one server and one bot, whose ids are configured. */
async function startReceiver() {
  const clock = manualClock();
  const { log, logged } = collectingLog();
  const warnings = () => logged.filter(({ msg }) => msg.includes('names another server or bot'));
  const voteSecrets = [voteSecret];
  const { start, stop, ledger } = await createReceiver({
    listings: [
      { name: 'harbour', kind: 'server', id: own, voteSecrets, premiumSecrets: [premiumSecret] },
      { name: 'lantern', kind: 'bot', id: '31', voteSecrets },
    ],
    ...{ database: join(tempDir(), 'votes.db'), port: 0, clock, log },
  });
  onTestFinished(() => stop());
  const url = await start();
  return {
    clock,
    warnings,
    ledger,
    send: (fields: object, secret?: string) => deliver(url, clock.now(), fields, secret),
  };
}

describe('a delivery that names another target than its listing', () => {
  it('counts for that listing, and a warning once an hour and listing names both ids', async () => {
    const { send, warnings, clock } = await startReceiver();
    for (let sent = 0; sent < 5; sent += 1) expect(await send({ serverId: another })).toBe('recorded');
    expect(warnings()).toHaveLength(1);
    expect(await send({ event: 'bot_vote', botId: another })).toBe('recorded');
    const hint = expect.stringMatching(/copy the address and secret of the right listing.* correct its id/);
    expect(warnings()).toMatchObject([
      { listing: 'harbour', listingId: own, named: another, hint },
      { listing: 'lantern', listingId: '31', named: another, hint },
    ]);
    await clock.advance(hour - minute);
    await send({ serverId: another });
    expect(warnings()).toHaveLength(2);
    await clock.advance(minute);
    await send({ serverId: another });
    expect(warnings().map((line) => [line['listing'], line['suppressed']])).toEqual([
      ['harbour', undefined],
      ['lantern', undefined],
      ['harbour', 5],
    ]);
  });

  it('is warned of if it is a purchase, but not of a vendor that is neither a server nor a bot', async () => {
    const { send, warnings } = await startReceiver();
    const purchase = (orderId: string, vendor: object) =>
      send({ event: 'premium_purchase', orderId, vendor }, premiumSecret);
    expect(await purchase('a', { type: 'server', id: own })).toBe('recorded');
    expect(await purchase('b', { type: 'user', id: another })).toBe('recorded');
    expect(warnings()).toEqual([]);
    expect(await purchase('c', { type: 'server', id: another })).toBe('recorded');
    expect(warnings()).toMatchObject([{ listing: 'harbour', named: another }]);
  });
});

it('there is no warning of its own id, of none, and of a test', async () => {
  const { send, warnings } = await startReceiver();
  expect(await send({ serverId: own })).toBe('recorded');
  expect(await send({})).toBe('recorded');
  expect(await send({ serverId: '1', test: true })).toBe('test');
  expect(warnings()).toEqual([]);
});
