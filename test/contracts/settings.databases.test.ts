import { systemClock } from '@tallyhook/platform/clock';
import { generateKeyText, parseEncryptionKey } from '@tallyhook/platform/encryption/encryption-key';
import { seal } from '@tallyhook/platform/encryption/sealed-text';
import { expect, it } from 'vitest';
import type { NewChange, StoredValue } from '../../src/core/settings/stored-settings.ts';
import type { SettingsStore } from '../../src/core/store/settings/store.ts';
import type { Store } from '../../src/features/store.ts';
import { firstCommunity } from '../support/communities.ts';
import { describeOnEveryDatabase } from '../support/databases.ts';
import { channelQueue } from '../support/queues.ts';
import { openLedger } from '../support/voting.ts';

const at = Date.UTC(2026, 10, 1);
const json = (value: unknown): StoredValue => ({ value: JSON.stringify(value), sealed: null });
const keys = [generateKeyText(), generateKeyText()].flatMap((text) => parseEncryptionKey(text) ?? []);

async function openTestStore(url: string): Promise<Store> {
  const store = await openLedger(url, systemClock);
  return store;
}

describeOnEveryDatabase('settings', (newUrl) => {
  let interactions = 0;

  async function open() {
    const url = newUrl();
    return { url, settings: (await openTestStore(url)).settings };
  }

  function change(values: Readonly<Record<string, StoredValue | null>>, some: Partial<NewChange> = {}): NewChange {
    interactions += 1;
    return {
      ...{ guildId: '1', authorId: '7', interactionId: `interaction ${interactions}`, at, basis: null, undoes: null },
      values: Object.entries(values).map(([path, after]) => ({ listing: '', path, after })),
      ...some,
    };
  }

  async function save(settings: SettingsStore, ...args: Parameters<typeof change>): Promise<number> {
    const result = await settings.save(change(...args));
    if (result.status !== 'saved') throw new Error(`It was not saved, but ${result.status}.`);
    return result.id;
  }

  const stored = async (settings: SettingsStore, guildId = '1') =>
    (await settings.communities([guildId]))[0]?.settings.map(({ path, value }) => [path, JSON.parse(value)]);

  it('are stored with their history', async () => {
    const { settings } = await open();
    expect(await settings.state()).toEqual({ version: 0, keyId: null });
    const first = await save(settings, { timeZone: json('UTC'), shop: json([]) });
    const second = await save(settings, { timeZone: json('Europe/Berlin'), shop: null }, { authorId: '8', at: at + 1 });
    expect(await settings.state()).toEqual({ version: second, keyId: null });
    expect(await stored(settings)).toEqual([['timeZone', 'Europe/Berlin']]);
    expect(await settings.changes('1', { before: null, limit: 9 })).toEqual([
      {
        ...{ id: second, at: at + 1, authorId: '8', undoes: null, undoneBy: null },
        changes: [
          { listing: '', path: 'timeZone', before: json('UTC'), after: json('Europe/Berlin') },
          { listing: '', path: 'shop', before: json([]), after: null },
        ],
      },
      expect.objectContaining({ id: first, authorId: '7' }),
    ]);
    expect(await settings.changes('1', { before: second, limit: 9 })).toMatchObject([{ id: first }]);
    expect(await settings.changes('2', { before: null, limit: 9 })).toEqual([]);
    expect(await settings.changesWithIds('2', [first])).toEqual([]);
  });

  it('have secrets that are found by their key, also in the history, and replaced', async () => {
    const store = await openTestStore(newUrl());
    const [one, two] = keys;
    if (one === undefined || two === undefined) throw new Error('There are two keys.');
    const sealed = (text: string, key = one) => ({ value: '1', sealed: seal(key, text, []) });
    await save(store.settings, { lookupKey: sealed('first') });
    await save(store.settings, { lookupKey: sealed('second') });
    await store.rekey.useKey(two.id);
    const found: string[] = [];
    for (;;) {
      const rows = await store.rekey.sealedWithOthers(two.id, 10);
      if (rows.length === 0) break;
      found.push(...rows.map(({ table, column }) => `${table}.${column}`));
      const changed = rows.map((row) => ({ row, sealed: seal(two, 'again', []) }));
      expect(await store.rekey.reseal(changed)).toBe(rows.length);
      expect(await store.rekey.reseal(changed)).toBe(0);
    }
    const history = 'changed_settings';
    expect(found).toEqual([
      'setting_values.sealed',
      `${history}.before_sealed`,
      ...[`${history}.after_sealed`, `${history}.after_sealed`],
    ]);
  });

  it('are saved once per interaction, and not if nothing changes', async () => {
    const { settings } = await open();
    const first = change({ timeZone: json('UTC') });
    const [one, two] = await Promise.all([settings.save(first), settings.save(first)]);
    expect([one.status, two.status].sort()).toEqual(['repeated', 'saved']);
    expect(await settings.save(change({ timeZone: json('UTC'), shop: null }))).toEqual({ status: 'unchanged' });
    const version = await save(settings, { timeZone: json('Asia/Tokyo'), ownerChannelId: null });
    expect(version).toBe(2);
    expect(await settings.changes('1', { before: null, limit: 1 })).toMatchObject([
      { changes: [{ path: 'timeZone' }] },
    ]);
  });

  it('have interactions of their own in each guild, and names of listings that no other one can link', async () => {
    const { settings } = await open();
    const link = { listing: 'server-0011223344', path: 'link' };
    const linked = { values: [{ ...link, after: json({ kind: 'server', id: '1' }) }] };
    const interactionId = 'chosen by a form';
    await save(settings, {}, { ...linked, interactionId });
    expect(await settings.save(change({}, { ...linked, guildId: '2' }))).toEqual({ status: 'name_taken' });
    expect(await settings.save(change({ timeZone: json('UTC') }, { guildId: '2', interactionId }))).toMatchObject({
      status: 'saved',
    });
    await save(settings, {}, { values: [{ ...link, after: null }] });
    expect(await settings.save(change({}, { ...linked, guildId: '2' }))).toEqual({ status: 'name_taken' });
    expect(await settings.save(change({}, linked))).toMatchObject({ status: 'saved' });
    expect(await stored(settings, '2')).toEqual([['timeZone', 'UTC']]);
  });

  it('are not overwritten by a member who has not seen the change of another', async () => {
    const { settings } = await open();
    const seen = await save(settings, { timeZone: json('UTC'), ownerChannelId: json('5') });
    const newer = await save(settings, { timeZone: json('Asia/Tokyo') }, { authorId: '8', basis: seen });
    const late = { authorId: '7', basis: seen };
    expect(await settings.save(change({ timeZone: json('Europe/Berlin'), shop: json([]) }, late))).toEqual({
      status: 'conflict',
      changes: [newer],
    });
    expect(await stored(settings)).toContainEqual(['timeZone', 'Asia/Tokyo']);
    // Another setting, another listing, and the member's own earlier change are no conflict.
    await save(settings, { ownerChannelId: json('6') }, late);
    const values = [{ listing: 'server', path: 'timeZone', after: json('x') }];
    await save(settings, {}, { ...late, values });
    await save(settings, { timeZone: json('UTC') }, { authorId: '8', basis: seen });
  });

  it('keep one of two changes that are saved at once', async () => {
    const { settings } = await open();
    const seen = await save(settings, { timeZone: json('UTC') });
    const zones = ['Asia/Tokyo', 'Europe/Berlin', 'America/New_York'];
    const results = await Promise.all(
      zones.map((zone, index) =>
        settings.save(change({ timeZone: json(zone) }, { authorId: String(index), basis: seen })),
      ),
    );
    expect(results.map(({ status }) => status).sort()).toEqual(['conflict', 'conflict', 'saved']);
  });

  it('are taken back once, and not after another change', async () => {
    const { settings } = await open();
    const first = await save(settings, { timeZone: json('UTC') });
    const second = await save(settings, { timeZone: json('Asia/Tokyo'), shop: json([1]) });
    const takeBack = (id: number, values: Parameters<typeof change>[0]) => change(values, { basis: id, undoes: id });
    expect(await settings.save(takeBack(first, { timeZone: null }))).toEqual({
      status: 'conflict',
      changes: [second],
    });
    const undo = { timeZone: json('UTC'), shop: null };
    const undone = await settings.save(takeBack(second, undo));
    expect(undone).toMatchObject({ status: 'saved' });
    expect(await settings.save(takeBack(second, undo))).toEqual({ status: 'already_undone' });
    expect(await stored(settings)).toEqual([['timeZone', 'UTC']]);
    expect(await settings.changes('1', { before: null, limit: 2 })).toMatchObject([
      { undoes: second, undoneBy: null },
      { id: second, undoneBy: 'id' in undone && undone.id },
    ]);
  });

  it('name the changed communities to other processes', async () => {
    const { url, settings } = await open();
    const other = (await openTestStore(url)).settings;
    for (const guildId of ['3', '1', '2', '1']) await save(settings, { shop: json(interactions) }, { guildId });
    expect(await other.state()).toMatchObject({ version: 4 });
    expect(await other.changedAfter(0)).toEqual([
      { guildId: '3', version: 1 },
      { guildId: '2', version: 3 },
      { guildId: '1', version: 4 },
    ]);
    expect(await other.changedAfter(3)).toEqual([{ guildId: '1', version: 4 }]);
    expect((await other.communitiesAfter('1', 9)).map(({ guildId }) => guildId)).toEqual(['2', '3']);
    expect(await other.communities(['9', '2'])).toMatchObject([
      { guildId: '9', version: 0, settings: [] },
      { guildId: '2', version: 3, parkedAt: null, settings: [{ path: 'shop' }] },
    ]);
  });

  it('have secrets of one key only', async () => {
    const { settings } = await open();
    const secret = (index: number): StoredValue => {
      const key = keys[index];
      return { value: '1', sealed: key === undefined ? null : seal(key, 'secret', ['x']) };
    };
    await save(settings, { lookupKey: secret(0) });
    expect(await settings.state()).toMatchObject({ keyId: keys[0]?.id });
    expect(await settings.save(change({ voteSecrets: secret(1) }))).toEqual({
      status: 'other_key',
      keyId: keys[0]?.id,
    });
    expect(await settings.state()).toEqual({ version: 1, keyId: keys[0]?.id });
    await save(settings, { voteSecrets: secret(0) });
  });

  it('find the newest test delivery of a listing', async () => {
    const { url, settings } = await open();
    const store = await openTestStore(url);
    const listing = { name: 'mine', kind: 'server', announceChannelId: null } as never;
    const body = { family: 'vote', body: '{}' } as const;
    const test = { type: 'test', test: { kind: 'server_vote', userId: null }, listing } as never;
    expect(await settings.arrivedSince('mine', at)).toBe(null);
    for (const receivedAt of [at + 5, at + 9, at + 7]) await store.recorder.record({ receivedAt, ...body }, test);
    expect(await settings.arrivedSince('mine', at)).toEqual({ at: at + 9, isTest: true });
    expect(await settings.arrivedSince('mine', at + 10)).toBe(null);
    expect(await settings.arrivedSince('other', at)).toBe(null);
  });

  it('announce the newest test of a listing in the channel that it gets later, once', async () => {
    const channelId = '500000000000000001';
    const { url, settings } = await open();
    const store = await openTestStore(url);
    await store.communityIds.addConfigured(['4']);
    const waiting = async () => {
      const effects = await store.outbox.claim(channelQueue(channelId), at + 60, at + 61, 10);
      if (effects.length > 0) await store.outbox.done(effects, at + 60);
      return effects.map((effect) => ('content' in effect ? effect.content : null));
    };
    const record = (name: string, receivedAt: number, announceChannelId: string | null) =>
      store.recorder.record(
        { receivedAt, family: 'vote', body: '{}' },
        {
          type: 'test',
          test: { kind: 'bot_vote', userId: '5' },
          listing: { name, kind: 'bot', announceChannelId, community: { id: firstCommunity } } as never,
        },
      );
    await record('mine', at + 5, null);
    await record('other', at + 9, null);
    const announce = (listing: string, since: number) =>
      settings.announceTest({ listing, guildId: '4', channelId, since }, at + 60);
    await announce('mine', at + 6);
    await announce('nobodys', at);
    expect(await waiting()).toEqual([]);
    await Promise.all([announce('mine', at), announce('mine', at)]);
    expect(await waiting()).toMatchObject([
      { test: true, event: 'bot_vote', listing: 'mine', userId: '5', at: at + 5 },
    ]);
    await record('seen', at + 10, channelId);
    await announce('seen', at);
    expect(await waiting()).toMatchObject([{ listing: 'seen' }]);
  });
});
