import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '@tallyhook/platform/clock';
import { minute, second } from '@tallyhook/platform/durations';
import { createEncryption } from '@tallyhook/platform/encryption/encryption';
import { createLog } from '@tallyhook/platform/log';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../../config/load.ts';
import { createMetrics } from '../../../src/core/metrics.ts';
import { prepareCommunities } from '../../../src/features/communities/community-ids.ts';
import {
  createDirectory,
  createListingTargets,
  createTargetLoop,
} from '../../../src/features/communities/directory.ts';
import { LookupClients } from '../../../src/features/communities/lookup-clients.ts';
import type { SettingsAuthor } from '../../../src/features/settings/community.ts';
import { createSettings } from '../../../src/features/settings/in-effect.ts';
import { createDashboards, createKeyCheck, createUploads } from '../../../src/features/settings/services.ts';
import type { Settings } from '../../../src/features/settings/settings.ts';
import { memoryKeyv } from '../../../src/lookup/memory-keyv.ts';
import { botToken } from '../../support/bot-token.ts';
import { failure, startFakeService, success } from '../../support/fake-service.ts';
import { newSqliteUrl } from '../../support/new-sqlite.ts';
import { importInto } from '../../support/setup-over.ts';
import { openLedger } from '../../support/voting.ts';

const guildId = '700000000000000001';
const elsewhere = '700000000000000002';
const waitOptions = { timeout: 10_000, interval: 20 };
const profile = { name: 'Harbour', votes: 1, tags: [], url: 'https://lists.example/harbour' };

/** A service whose keys belong to servers with these ids; another key is refused. */
async function serviceWith(ids: Readonly<Record<string, string>>) {
  const service = await startFakeService();
  onTestFinished(() => service.close());
  const start = () =>
    service.respondWith((response, request) => {
      const id = ids[String(request.headers['x-api-key'])];
      (id === undefined ? failure(401, 'Invalid key') : success({ ...profile, id }))(response, request);
    });
  start();
  return { ...service, start, fail: () => service.respondWith(failure(503, 'down')) };
}

/** A process whose variables describe the server of a guild. */
async function startProcess(service: { readonly baseUrl: string }) {
  const config = loadConfig({
    ...{ DISCORD_TOKEN: botToken, LOOKUP_BASE_URL: service.baseUrl, LOOKUP_SERVER_KEY: 'key-of-variables' },
    ...{ VOTE_WEBHOOK_SECRET: 'secret-of-variables', DISCORD_GUILD_ID: guildId, SETTINGS_KEY: 'a'.repeat(64) },
    DATABASE_URL: newSqliteUrl(),
  });
  const log = createLog({ level: 'silent', secrets: [] });
  const clock = manualClock();
  const store = await openLedger(config.databaseUrl, clock);
  const communityIds = await prepareCommunities(store.communityIds, config.listings);
  const lookups = new LookupClients(config, {
    ...{ store, communityIds, cache: memoryKeyv(), metrics: createMetrics(), clock, log },
  });
  const targets = createListingTargets(lookups.find);
  const directory = createDirectory(config.listings, communityIds.of, (listing) => {
    const target = targets.targetOf(listing);
    return target.isKnown ? target.id : null;
  });
  const { setup, sync } = createSettings(config, {
    ...{ store: store.settings, directory, lookups, targets, redact: null, onSaved: () => {}, clock, log },
    encryption: createEncryption(config.encryption),
    addCommunities: (guildIds) => communityIds.add(guildIds),
  });
  await sync.load();
  return { setup, sync, store, directory, lookups, targets, clock };
}

let interactions = 0;
function author(): SettingsAuthor {
  interactions += 1;
  return { guildId, authorId: '200000000000000001', interactionId: `interaction ${interactions}` };
}

const link = (setup: Settings, lookupKey: string, targetId: string | null = guildId) =>
  setup.link({ ...author(), kind: 'server', targetId, lookupKey, voteSecret: null });

async function linked(setup: Settings, lookupKey: string, targetId: string | null) {
  const result = await link(setup, lookupKey, targetId);
  if (result.status !== 'linked') throw new Error(JSON.stringify(result.issues));
  return result.listing;
}

const ids = { 'key-of-variables': guildId, 'second-key': guildId, 'other-key': elsewhere };

describe('a server that the operator has configured by variables, which do not contain its id', () => {
  it('is not linked, with the same or another API key, whose id the service says', async () => {
    const { setup } = await startProcess(await serviceWith(ids));
    const refused = { status: 'invalid', issues: [{ code: 'operators_listing', listing: 'server' }] };
    expect(await link(setup, 'key-of-variables')).toMatchObject(refused);
    expect(await link(setup, 'second-key')).toMatchObject(refused);
    expect(await link(setup, 'other-key', elsewhere)).toMatchObject({ status: 'linked' });
  });

  it('is not linked as long as the service does not say which server it is, unless the API key is the same', async () => {
    const service = await serviceWith(ids);
    const { setup } = await startProcess(service);
    service.fail();
    expect(await link(setup, 'second-key')).toMatchObject({ issues: [{ code: 'not_compared', listing: 'server' }] });
    expect(await link(setup, 'key-of-variables')).toMatchObject({ issues: [{ code: 'operators_listing' }] });
  });

  it('is compared with what was linked without a comparison, as soon as the service says its id', async () => {
    const service = await serviceWith(ids);
    const { setup, sync, store, directory, targets, clock } = await startProcess(service);
    service.fail();
    const values = [
      { listing: 'server-1', path: 'link', after: { value: `{"kind":"server","id":"${guildId}"}`, sealed: null } },
    ];
    await store.settings.save({ ...author(), at: clock.now(), basis: null, undoes: null, values });
    await sync.refresh();
    const groups = () => directory.ofGuild(guildId)?.listings[0]?.community.sameTarget;
    const loop = createTargetLoop({ targets, directory, clock });
    await loop.compare('server-1');
    expect(groups()).toBeUndefined();
    service.start();
    // A failure is remembered for a moment.
    await clock.advance(61 * second);
    loop.start();
    onTestFinished(() => loop.stop());
    await expect.poll(groups, waitOptions).toEqual([['server', 'server-1']]);
    expect(directory.ofGuild(guildId)?.named.map(({ name }) => name)).toEqual(['server']);
    // Nothing that it had before is refused now.
    const rotated = await setup.rotateSecret({ ...author(), listing: 'server-1', family: 'vote', secret: null });
    expect(rotated.status).toBe('saved');
    const key = { listing: 'server-1', lookupKey: 'second-key', targetId: guildId };
    expect(await setup.replaceKey({ ...author(), ...key })).toMatchObject({ status: 'saved' });
  });
});

describe('a linked server', () => {
  const third = '700000000000000003';
  const withThird = { ...ids, 'third-key': third, 'third-key-2': third };

  it('is not linked a second time, nor when it is linked anew and its unlinking is undone', async () => {
    const { setup } = await startProcess(await serviceWith(withThird));
    const first = await linked(setup, 'third-key', third);
    expect(await link(setup, 'third-key-2', third)).toMatchObject({
      issues: [{ code: 'already_linked', listing: first.name }],
    });
    const unlinked = await setup.unlink({ ...author(), listing: first.name });
    const changeId = unlinked.status === 'saved' ? unlinked.change.id : 0;
    const second = await linked(setup, 'third-key-2', third);
    expect(await setup.undo({ ...author(), changeId })).toMatchObject({
      issues: [{ code: 'already_linked', listing: second.name }],
    });
    expect((await setup.read(guildId)).listings.filter(({ targetId }) => targetId === third)).toHaveLength(1);
  });

  it('that is unlinked and linked again keeps its votes, so that none can be claimed a second time', async () => {
    const { setup, sync, directory } = await startProcess(await serviceWith(withThird));
    const first = await linked(setup, 'third-key', third);
    const other = await linked(setup, 'other-key', elsewhere);
    for (const { name } of [first, other]) await setup.unlink({ ...author(), listing: name });
    const second = await linked(setup, 'third-key', third);
    const community = () => directory.find(second.name)?.community;
    expect(community()).toMatchObject({ listings: ['server', second.name], sameTarget: [[second.name, first.name]] });
    sync.replaceBase(sync.base);
    expect(community()?.sameTarget).toEqual([[second.name, first.name]]);
  });

  it('on another site is no other listing than before, and not that of the service', async () => {
    const { setup, directory } = await startProcess(await serviceWith(withThird));
    const server = await linked(setup, 'third-key', third);
    const linkOn = async (site: string) => {
      const target = { kind: 'server', targetId: third, site, lookupKey: null, voteSecret: null } as const;
      const result = await setup.link({ ...author(), ...target });
      return result.status === 'linked' ? result.listing.name : result.issues[0]?.code;
    };
    const first = (await linkOn('disurl')) ?? '';
    expect(await linkOn('disurl')).toBe('already_linked');
    await linkOn('guildsme');
    await setup.unlink({ ...author(), listing: first });
    const again = (await linkOn('disurl')) ?? '';
    expect(directory.find(again)?.community.sameTarget).toEqual([[again, first]]);
    expect(directory.find(server.name)?.community.listings).toHaveLength(4);
    expect(await linkOn('discordbotlist')).toBe('invalid');
    expect(await linkOn('capture')).toBe('invalid');
  });

  it('gets no API key of another listing, neither by the form nor by an import', async () => {
    const { setup } = await startProcess(await serviceWith(withThird));
    const { name } = await linked(setup, 'third-key', third);
    const replaced = { ...author(), listing: name, lookupKey: 'other-key', targetId: elsewhere };
    expect(await setup.replaceKey(replaced)).toMatchObject({ issues: [{ code: 'other_listing' }] });
    const other = await linked(setup, 'other-key', elsewhere);
    const text = JSON.stringify({ listings: [{ name, lookupKey: 'other-key' }] });
    expect(await importInto(setup, author(), text)).toMatchObject({
      issues: [{ code: 'already_linked', listing: other.name }],
    });
    expect(
      await setup.replaceKey({ ...replaced, ...author(), lookupKey: 'third-key-2', targetId: third }),
    ).toMatchObject({ status: 'saved' });
  });

  it('keeps the name that the service has said when it gets another API key, which is used from then on', async () => {
    const service = await serviceWith(withThird);
    const { setup, lookups } = await startProcess(service);
    const { name } = await linked(setup, 'third-key', third);
    const ask = async () => (await lookups.find(name)?.lookup.profile())?.value.id;
    expect(await ask()).toBe(third);
    const replaced = { ...author(), listing: name, lookupKey: 'third-key-2', targetId: third };
    expect(await setup.replaceKey(replaced)).toMatchObject({ status: 'saved' });
    expect(lookups.displayName(name)).toBe(profile.name);
    expect(await ask()).toBe(third);
    expect(service.requests.at(-1)?.headers['x-api-key']).toBe('third-key-2');
  });

  it('without a known id is compared by its API key, and gets the id that the service says later', async () => {
    const { setup } = await startProcess(await serviceWith({ 'third-key': third, 'third-key-2': third }));
    // The service refuses the key of the variables, so only API keys can be compared.
    const { name } = await linked(setup, 'third-key', null);
    expect(await link(setup, 'third-key', null)).toMatchObject({ issues: [{ code: 'already_linked' }] });
    const replaced = { ...author(), listing: name, lookupKey: 'third-key-2', targetId: third };
    expect(await setup.replaceKey(replaced)).toMatchObject({ issues: [{ code: 'not_compared', listing: 'server' }] });
  });
});

const [keyGuildId, otherGuildId] = ['700000000000000001', '700000000000000002'];

it('checks ten keys a minute for a guild, over all processes, and sends no request for more', async () => {
  const service = await startFakeService();
  onTestFinished(() => service.close());
  service.respondWith(failure(401, 'Invalid key'));
  const databaseUrl = newSqliteUrl();
  const clock = manualClock();
  const startedAt = clock.now();
  const log = createLog({ level: 'silent', secrets: [] });
  async function startProcess() {
    const store = await openLedger(databaseUrl, clock);
    return createKeyCheck({ baseUrl: service.baseUrl, budget: store.budgetStore, clock, log });
  }
  const [one, other] = [await startProcess(), await startProcess()];
  for (let guess = 0; guess < 10; guess += 1) {
    const checkKey = guess % 2 === 0 ? one : other;
    expect(await checkKey(keyGuildId, 'server', `guess-${guess}`)).toEqual({ status: 'refused' });
    await clock.advance(second);
  }
  const tooMany = { status: 'tooMany', retryAt: startedAt + minute };
  for (const checkKey of [one, other]) expect(await checkKey(keyGuildId, 'bot', 'guess')).toEqual(tooMany);
  expect(service.requests).toHaveLength(10);
  expect(await one(otherGuildId, 'server', 'guess')).toEqual({ status: 'refused' });
  await clock.advance(startedAt + minute - clock.now());
  expect(await other(keyGuildId, 'server', 'guess')).toEqual({ status: 'refused' });
  expect(await other(keyGuildId, 'server', 'guess')).toMatchObject({ status: 'tooMany' });
});

it('finds out by the key whether it is of a server or a bot', async () => {
  const service = await startFakeService();
  onTestFinished(() => service.close());
  service.respondWith((response, request) => {
    const isBot = request.headers['x-api-key'] === 'key-of-bot';
    const isAskedAsBot = request.url?.includes('/bot') === true;
    const profile = { name: 'Harbour', votes: 1, tags: [], url: 'https://lists.example/harbour' };
    (isBot === isAskedAsBot ? success(profile) : failure(400, 'Only for keys of the other kind'))(response, request);
  });
  const clock = manualClock();
  const store = await openLedger(newSqliteUrl(), clock);
  const log = createLog({ level: 'silent', secrets: [] });
  const checkKey = createKeyCheck({ baseUrl: service.baseUrl, budget: store.budgetStore, clock, log });
  expect(await checkKey(keyGuildId, null, 'key-of-server')).toMatchObject({ status: 'valid', kind: 'server' });
  expect(service.requests).toHaveLength(1);
  expect(await checkKey(keyGuildId, null, 'key-of-bot')).toMatchObject({
    status: 'valid',
    kind: 'bot',
    targetId: null,
  });
  expect(await checkKey(keyGuildId, 'server', 'key-of-bot')).toEqual({ status: 'wrongKind' });
});

it('names the dashboard of the service where it has one, otherwise its home page', async () => {
  const service = await startFakeService();
  service.respondWith((response, request) => response.writeHead(request.url === '/dashboard/1' ? 303 : 404).end());
  const dashboardOf = createDashboards(service.baseUrl, systemClock);
  expect(await dashboardOf('1')).toBe(`${service.origin}/dashboard/1#advanced`);
  expect(await dashboardOf('2')).toBe(`${service.origin}/dashboard/2#advanced`);
  expect(service.requests.map(({ url }) => url)).toEqual(['/dashboard/1']);
  const foreign = createDashboards(service.baseUrl, systemClock);
  expect(await foreign('2')).toBe(`${service.origin}/`);
  await service.close();
  expect(await createDashboards(service.baseUrl, systemClock)('1')).toBe(`${service.origin}/`);
  expect(await createDashboards('', systemClock)('1')).toBe(null);
  // Discord rejects links to such names.
  expect(await createDashboards('http://service:3000/api/v1', systemClock)('1')).toBe(null);
});

it('reads files from Discord alone, also behind a redirect, and no more than it says', async () => {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    response.writeHead(request.url === '/moved' ? 302 : 200, { Location: '/codes.txt' }).end('AAA-1');
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const uploadsOf = (apiUrl: string) =>
    createUploads({ apiUrl, stopwatch: systemClock, log: createLog({ level: 'silent', secrets: [] }) });
  const ofLocal = uploadsOf(`${origin}/api`);
  expect(await ofLocal({ size: 5, url: `${origin}/codes.txt` })).toBe('AAA-1');
  expect(await ofLocal({ size: 5, url: `${origin}/moved` })).toBe(null);
  expect(await ofLocal({ size: 256 * 1024 + 1, url: `${origin}/long.txt` })).toBe(null);
  expect(await uploadsOf('https://discord.com/api')({ size: 5, url: `${origin}/foreign.txt` })).toBe(null);
  expect(await ofLocal({ size: 5, url: 'no address' })).toBe(null);
  expect(requests).toEqual(['/codes.txt', '/moved']);
});
