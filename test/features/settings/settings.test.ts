import { createEncryption } from '@tallyhook/platform/encryption/encryption';
import { createKeyFile, replaceKeyFile } from '@tallyhook/platform/encryption/key-file';
import { createLog } from '@tallyhook/platform/log';
import { createRedactor } from '@tallyhook/platform/redactor';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../config/load.ts';
import { prepareCommunities } from '../../../src/features/communities/community-ids.ts';
import { createDirectory, createListingTargets } from '../../../src/features/communities/directory.ts';
import { createSettings } from '../../../src/features/settings/in-effect.ts';
import type { Settings } from '../../../src/features/settings/settings.ts';
import { rekey } from '../../../src/features/settings/stored.ts';
import { shopItems } from '../../../src/features/shop/purchase.ts';
import { environmentWith, harbour } from '../../support/listings-file.ts';
import { newSqliteUrl } from '../../support/new-sqlite.ts';
import { importInto } from '../../support/setup-over.ts';
import { openLedger } from '../../support/voting.ts';

const [guildId, otherGuildId] = ['700000000000000001', '700000000000000002'];
const owner = '200000000000000001';
const channel = '500000000000000001';
const role = '800000000000000001';

let interactions = 0;
function author(some: Partial<{ guildId: string; authorId: string }> = {}) {
  interactions += 1;
  return { guildId, authorId: owner, interactionId: `interaction ${interactions}`, ...some };
}

/** The settings of a process, without the rest of it. */
async function startProcess(
  databaseUrl: string,
  changes: Readonly<Record<string, string>> = {},
  { findLookup = () => undefined }: { findLookup?: Parameters<typeof createListingTargets>[0] } = {},
) {
  const file = environmentWith([{ ...harbour, guildId, voteSecrets: ['file-vote-secret'], rewards: { vote: 7 } }]);
  const config = loadConfig({ ...file, DATABASE_URL: databaseUrl, PUBLIC_URL: 'https://votes.example/', ...changes });
  const lines: string[] = [];
  const redact = createRedactor(config.secrets);
  const log = createLog({ level: 'debug', secrets: redact, destination: { write: (line) => void lines.push(line) } });
  const clock = manualClock();
  const store = await openLedger(databaseUrl, clock);
  const communityIds = await prepareCommunities(store.communityIds, config.listings);
  const directory = createDirectory(config.listings, communityIds.of);
  const prepare = () => () => {};
  const targets = createListingTargets(findLookup);
  let saved = 0;
  const settings = createSettings(config, {
    ...{
      ...{ store: store.settings, encryption: createEncryption(config.encryption), directory, lookups: { prepare } },
      targets,
    },
    ...{ redact, clock, log, addCommunities: (guildIds) => communityIds.add(guildIds) },
    onSaved: () => {
      saved += 1;
    },
  });
  await settings.sync.load();
  return { ...settings, config, directory, store, lines, log, clock, saves: () => saved };
}

const newDatabase = () => newSqliteUrl();

async function linkServer(setup: Settings, some: Partial<Parameters<Settings['link']>[0]> = {}) {
  const defaults = { kind: 'server', targetId: guildId, lookupKey: 'lookup-key-1', voteSecret: null } as const;
  const result = await setup.link({ ...author(), ...defaults, ...some });
  if (result.status !== 'linked') throw new Error(JSON.stringify(result));
  return result;
}

describe('the settings of a community', () => {
  it('are those of the operator, with their sources, until its owner changes them', async () => {
    const { setup, directory, saves } = await startProcess(newDatabase());
    const before = await setup.read(guildId);
    expect(before).toMatchObject({ version: 0, latestChange: null, canStoreSecrets: true, issues: [] });
    expect(before.listings).toMatchObject([
      {
        ...{ name: 'harbour', kind: 'server', targetId: '1000', origin: 'file', hasLookupKey: true, voteSecrets: 1 },
        addresses: {
          vote: 'https://votes.example/webhooks/harbour/vote',
          premium: 'https://votes.example/webhooks/harbour/premium',
        },
        values: {
          'rewards.vote': { value: 7, source: 'file' },
          'rewards.premium': { value: 100, source: 'default' },
          announceChannelId: { value: null, source: 'unset' },
        },
      },
    ]);
    const changes = [
      { listing: 'harbour', path: 'rewards.vote', value: 12 },
      { listing: 'harbour', path: 'announceChannelId', value: channel },
      { listing: null, path: 'rewards.streak', value: { every: 7, credits: 50 } },
    ] as const;
    const result = await setup.save({ ...author(), basis: before.version, changes });
    expect(result).toMatchObject({ status: 'saved', change: { authorId: owner, undoes: null } });
    const after = await setup.read(guildId);
    expect(after.listings[0]?.values['rewards.vote']).toEqual({ value: 12, source: 'setup' });
    expect(after.values['rewards.streak']).toEqual({ value: { every: 7, credits: 50, forgive: 0 }, source: 'setup' });
    expect(after.latestChange?.changes).toContainEqual({
      ...{ listing: 'harbour', path: 'rewards.vote', isSecret: false, before: undefined, after: 12 },
    });
    expect(directory.find('harbour')).toMatchObject({ announceChannelId: channel, rewards: { base: { perVote: 12 } } });
    expect(saves()).toBe(1);
    // The file is in effect again.
    await setup.save({ ...author(), basis: null, changes: [{ ...changes[0], value: undefined }] });
    expect((await setup.read(guildId)).listings[0]?.values['rewards.vote']).toEqual({ value: 7, source: 'file' });
    expect((await setup.read(otherGuildId)).listings).toEqual([]);
  });

  it('are rejected with a hint if they are not valid, and nothing is saved', async () => {
    const { setup, store } = await startProcess(newDatabase());
    const issuesOf = async (listing: string | null, path: never, value: unknown) => {
      const result = await setup.save({ ...author(), basis: null, changes: [{ listing, path, value }] });
      return result.status === 'invalid' ? result.issues.map((issue) => `${issue.code}: ${issue.problem}`) : result;
    };
    const cases = [
      ['harbour', 'rewards.vote', -1, /^invalid: is invalid: it must be a whole number/],
      ['harbour', 'rewards.voterRole', { role: guildId }, /^everyone_role: /],
      ['harbour', 'announcements.text', '{nonsense}', /^invalid: /],
      ['harbour', 'lookupKeys', 'x', /is not a setting/],
      ['elsewhere', 'rewards.vote', 1, /^unknown_listing: /],
      [null, 'timeZone', 'Berlin', /^invalid: is invalid: it must be an IANA time zone/],
      [null, 'timeZone', null, /^invalid: /],
      [null, 'shop', [{ id: 'a', name: 'A', price: 1, codesFile: '/etc/passwd' }], /codesFile/],
      [null, 'shop', [{ id: 'a', name: 'A', price: 1, newCodes: ['x', 'x'] }], /a code twice/],
    ] as const;
    for (const [listing, path, value, expected] of cases) {
      const issues = await issuesOf(listing, path as never, value);
      expect(issues, path).toEqual(expect.arrayContaining([expect.stringMatching(expected)]));
    }
    expect(await store.settings.state()).toEqual({ version: 0, keyId: null });
  });
});

describe('a listing that is linked in Discord', () => {
  it('has its own secrets and address, and none of the operator’s ids', async () => {
    const url = newDatabase();
    const variables = { ANNOUNCE_CHANNEL_ID: channel, VOTER_ROLE_ID: role, CREDITS_PER_VOTE: '33' };
    const { setup, directory, store, lines, log } = await startProcess(url, variables);
    const { listing, secrets, change } = await linkServer(setup, { ...author({ guildId: otherGuildId }) });
    expect(listing).toMatchObject({ kind: 'server', origin: 'setup', hasLookupKey: true, voteSecrets: 1 });
    expect(listing.name).toMatch(/^[\w.-]{1,32}$/);
    expect(listing.values.announceChannelId).toEqual({ value: null, source: 'unset' });
    expect(listing.values['rewards.voterRole'].value).toBe(null);
    expect(listing.values['rewards.vote'].value).toBe(33);
    expect(secrets).toEqual({ voteSecret: expect.stringMatching(/^[\w-]{32}$/), premiumSecret: null });
    const premium = { listing: listing.name, family: 'premium', secret: 'pasted-premium' } as const;
    await setup.rotateSecret({ ...author({ guildId: otherGuildId }), ...premium });
    expect(directory.find(listing.name)).toMatchObject({
      ...{ linked: true, guildId: otherGuildId, lookupKey: 'lookup-key-1' },
      ...{ voteSecrets: [secrets.voteSecret], premiumSecrets: ['pasted-premium'] },
    });
    // Nothing readable is stored, returned or logged.
    const hidden = [secrets.voteSecret ?? '', 'pasted-premium', 'lookup-key-1'];
    const stored = JSON.stringify([
      await store.settings.communities([otherGuildId]),
      await store.settings.changes(otherGuildId, { before: null, limit: 9 }),
      [change, await setup.read(otherGuildId), await setup.export(otherGuildId)],
    ]);
    log.info({ hidden }, 'redaction');
    for (const secret of hidden) {
      expect(stored).not.toContain(secret);
      expect(lines.join('')).not.toContain(secret);
    }
    expect(change.changes.find(({ path }) => path === 'voteSecrets')).toMatchObject({ isSecret: true, after: 1 });
  });

  it('is linked once per interaction, and shows its secrets once', async () => {
    const { setup } = await startProcess(newDatabase());
    const one = author({ guildId: otherGuildId });
    const first = await linkServer(setup, one);
    const second = await linkServer(setup, one);
    expect(second.listing.name).toBe(first.listing.name);
    expect(second.secrets).toEqual({ voteSecret: null, premiumSecret: null });
    expect(await setup.link({ ...author({ guildId: otherGuildId }), ...linkOf(guildId) })).toMatchObject({
      issues: [{ code: 'already_linked' }],
    });
  });

  it('keeps the earlier secret while the service is changed, and can be undone', async () => {
    const { setup, directory } = await startProcess(newDatabase());
    const { listing, secrets: first } = await linkServer(setup);
    const rotated = await setup.rotateSecret({ ...author(), listing: listing.name, family: 'vote', secret: null });
    if (rotated.status !== 'saved') throw new Error('not saved');
    const voteSecrets = () => directory.find(listing.name)?.voteSecrets;
    expect(voteSecrets()).toEqual([rotated.secrets.voteSecret, first.voteSecret]);
    await setup.dropOldSecrets({ ...author(), listing: listing.name, family: 'vote' });
    expect(voteSecrets()).toEqual([rotated.secrets.voteSecret]);
    const [drop] = await setup.changes(guildId, { before: null, limit: 1 });
    expect(await setup.undo({ ...author(), changeId: drop?.id ?? 0 })).toMatchObject({ status: 'undone' });
    expect(voteSecrets()).toEqual([rotated.secrets.voteSecret, first.voteSecret]);
    expect(await setup.undo({ ...author(), changeId: drop?.id ?? 0 })).toEqual({ status: 'already_undone' });
    expect(await setup.undo({ ...author(), changeId: rotated.change.id })).toMatchObject({ status: 'changed_since' });
    expect(await setup.undo({ ...author({ guildId: otherGuildId }), changeId: drop?.id ?? 0 })).toEqual({
      status: 'not_found',
    });
  });

  it('disappears when it is unlinked, and comes back with its secrets', async () => {
    const { setup, directory } = await startProcess(newDatabase());
    const { listing, secrets } = await linkServer(setup);
    const { name } = listing;
    await setup.save({ ...author(), basis: null, changes: [{ listing: name, path: 'rewards.vote', value: 3 }] });
    const unlinked = await setup.unlink({ ...author(), listing: name });
    expect(directory.find(name)).toBeUndefined();
    expect(await setup.unlink({ ...author(), listing: 'harbour' })).toMatchObject({ status: 'invalid' });
    const changeId = unlinked.status === 'saved' ? unlinked.change.id : 0;
    expect(await setup.undo({ ...author(), changeId })).toMatchObject({ status: 'undone' });
    expect(directory.find(name)).toMatchObject({
      ...{ voteSecrets: [secrets.voteSecret], lookupKey: 'lookup-key-1', rewards: { base: { perVote: 3 } } },
    });
  });

  it('is in effect in other processes as soon as they look', async () => {
    const url = newDatabase();
    const [one, two] = [await startProcess(url), await startProcess(url)];
    const { listing } = await linkServer(one.setup, author({ guildId: otherGuildId }));
    expect(two.directory.find(listing.name)).toBeUndefined();
    await two.sync.refresh();
    expect(two.directory.find(listing.name)).toMatchObject({ lookupKey: 'lookup-key-1' });
    // A process that starts later.
    expect((await startProcess(url)).directory.find(listing.name)).toMatchObject({ lookupKey: 'lookup-key-1' });
  });
});

describe('the codes of a shop', () => {
  it('are stored apart, encrypted, and kept when the item is changed', async () => {
    const { setup, directory, store } = await startProcess(newDatabase());
    const saveShop = (items: readonly object[]) =>
      setup.save({ ...author(), basis: null, changes: [{ listing: null, path: 'shop', value: items }] });
    const item = { id: 'key', name: 'Game key', price: 500 };
    expect(await saveShop([{ ...item, newCodes: ['CODE-ONE', 'CODE-TWO'] }])).toMatchObject({ status: 'saved' });
    const codes = () => shopItems.in(directory.find('harbour') ?? {}).map((each) => [each.price, each.codes]);
    expect(codes()).toEqual([[500, ['CODE-ONE', 'CODE-TWO']]]);
    const shown = (await setup.read(guildId)).values.shop.value;
    expect(shown).toEqual([{ ...item, codeCount: 2 }]);
    expect(await saveShop([{ ...item, price: 400, codeCount: 2, newCodes: ['CODE-THREE'] }])).toMatchObject({
      status: 'saved',
    });
    expect(codes()).toEqual([[400, ['CODE-ONE', 'CODE-TWO', 'CODE-THREE']]]);
    await saveShop([{ ...item, price: 300, codeCount: 3 }]);
    expect(codes()).toEqual([[300, ['CODE-ONE', 'CODE-TWO', 'CODE-THREE']]]);
    const stored = JSON.stringify([
      await store.settings.communities([guildId]),
      await setup.changes(guildId, { before: null, limit: 9 }),
    ]);
    expect(stored).not.toContain('CODE-');
  });
});

describe('an export', () => {
  it('restores the settings of a community, and keeps its secrets', async () => {
    const { setup, directory } = await startProcess(newDatabase());
    const { listing, secrets } = await linkServer(setup);
    const changes = [
      { listing: listing.name, path: 'announcements.mode', value: 'digest' },
      { listing: listing.name, path: 'announceChannelId', value: null },
      { listing: null, path: 'timeZone', value: 'Asia/Tokyo' },
    ] as const;
    await setup.save({ ...author(), basis: null, changes });
    const text = await setup.export(guildId);
    expect(JSON.parse(text).listings).toMatchObject([
      { name: 'harbour', timeZone: 'Asia/Tokyo' },
      { name: listing.name, announcements: { mode: 'digest' } },
    ]);
    const others = [
      { listing: listing.name, path: 'announcements.mode', value: 'none' },
      { listing: 'harbour', path: 'rewards.vote', value: 99 },
      { listing: null, path: 'timeZone', value: 'UTC' },
    ] as const;
    await setup.save({ ...author(), basis: null, changes: others });
    expect(await importInto(setup, author(), text)).toMatchObject({ status: 'saved' });
    expect(await setup.export(guildId)).toBe(text);
    expect(directory.find(listing.name)).toMatchObject({
      ...{ timeZone: 'Asia/Tokyo', announcements: { mode: 'digest' }, voteSecrets: [secrets.voteSecret] },
    });
    expect(directory.find('harbour')?.rewards.base.perVote).toBe(7);
    expect(await importInto(setup, author(), text)).toEqual({ status: 'unchanged' });
    for (const unusable of ['', '[]', '{"listings":[{"name":"nobody"}]}', '{"listings":[{"name":"harbour","x":1}]}'])
      expect(await importInto(setup, author(), unusable), unusable).toMatchObject({ status: 'invalid' });
  });
});

function linkOf(targetId: string) {
  return { kind: 'server', targetId, lookupKey: null, voteSecret: null } as const;
}

describe('another key', () => {
  const stopSignal = () => new AbortController().signal;

  it('replaces the key file while the program runs, without a lost or unreadable secret', async () => {
    const url = newDatabase();
    const running = await startProcess(url);
    const { listing, secrets } = await linkServer(running.setup);
    const { name } = listing;
    await running.setup.rotateSecret({ ...author(), listing: name, family: 'vote', secret: 'a-pasted-secret' });
    const keyFile = running.config.encryption.keyFile ?? '';
    const key = createKeyFile(`${keyFile}.next`);
    const encryption = createEncryption(running.config.encryption);
    const onProgress = () => {};
    const stop = stopSignal();
    expect(await rekey({ store: running.store.rekey, encryption, key, onProgress, stop })).toBeGreaterThan(5);
    expect(await rekey({ store: running.store.rekey, encryption, key, onProgress, stop })).toBe(0);
    replaceKeyFile(keyFile, `${keyFile}.next`);
    expect(await running.store.settings.state()).toMatchObject({ keyId: key.id });
    // The running process finds the new key, for what it stores and for the history.
    const dropped = await running.setup.dropOldSecrets({ ...author(), listing: name, family: 'vote' });
    const changeId = dropped.status === 'saved' ? dropped.change.id : 0;
    expect(await running.setup.undo({ ...author(), changeId })).toMatchObject({ status: 'undone' });
    const voteSecrets = ['a-pasted-secret', secrets.voteSecret];
    for (const each of [running, await startProcess(url)]) {
      expect(each.directory.find(name)).toMatchObject({ voteSecrets, lookupKey: 'lookup-key-1' });
    }
  });
});
