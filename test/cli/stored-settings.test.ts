import { join } from 'node:path';
import { createEncryption } from '@tallyhook/platform/encryption/encryption';
import { createKeyFile } from '@tallyhook/platform/encryption/key-file';
import { seal } from '@tallyhook/platform/encryption/sealed-text';
import { openSqlite } from '@tallyhook/platform/sqlite';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { expect, it } from 'vitest';
import { describeListings, publicListings } from '../../config/describe.ts';
import { loadConfig } from '../../config/load.ts';
import { communitiesInEffect, readStoredSettings } from '../../src/cli/settings.ts';
import { noCommunity } from '../../src/core/ledger/account.ts';
import { openSnapshot } from '../../src/core/store/snapshots/snapshot.ts';
import { openStore } from '../../src/features/store.ts';
import { addCommunity, firstCommunity } from '../support/communities.ts';
import { environmentWith, harbour } from '../support/listings-file.ts';

/** A database with settings of two communities, one of which has a listing in the file. */
async function databaseWithSettings(): Promise<string> {
  const directory = tempDir();
  const url = `sqlite:${join(directory, 'tally.db')}`;
  const clock = manualClock();
  const store = await openStore(url, clock, { thread: false });
  const keyFile = join(directory, 'key');
  const key = createKeyFile(keyFile);
  // The key is not needed to show which secrets are set.
  expect(createEncryption({ key: null, newKey: null, keyFile }).canSeal).toBe(true);
  const plain = (value: unknown) => ({ value: JSON.stringify(value), sealed: null });
  const secret = (value: string | readonly string[]) => {
    return {
      value: typeof value === 'string' ? '1' : String(value.length),
      sealed: seal(key, JSON.stringify(value), []),
    };
  };
  const save = (
    guildId: string,
    values: readonly (readonly [string, string, ReturnType<typeof plain> | ReturnType<typeof secret>])[],
  ) =>
    store.settings.save({
      ...{ guildId, authorId: '7', interactionId: guildId, at: clock.now(), basis: null, undoes: null },
      values: values.map(([listing, path, after]) => ({ listing, path, after })),
    });
  await save('1000', [['harbour', 'rewards.vote', plain(33)]]);
  await save('2000', [
    ['', 'timeZone', plain('Europe/Rome')],
    ['linked', 'link', plain({ kind: 'server', id: '2000' })],
    ['linked', 'lookupKey', secret('hush-hush-key')],
    ['linked', 'voteSecrets', secret(['hush-hush-1', 'hush-hush-2'])],
    ['on-site', 'link', plain({ kind: 'bot', id: '3000', site: 'discordbotlist' })],
    ['on-site', 'voteSecrets', secret(['hush-hush-3'])],
    ['on-site', 'siteKey', secret('hush-hush-token')],
    ['on-site', 'slug', plain('harbour')],
  ]);
  await store.close();
  return url;
}

it('shows what /setup has stored, with its source and without secrets or the key', async () => {
  const environment = { ...environmentWith([{ ...harbour, guildId: '1000' }]), CREDITS_PER_VOTE: '4' };
  const stored = await readStoredSettings(await databaseWithSettings());
  const listings = publicListings(environment, stored) ?? [];
  expect(listings.map(({ name, origin }) => [name, origin])).toEqual([
    ['harbour', 'file'],
    ['linked', 'setup'],
    ['on-site', 'setup'],
  ]);
  const sources = listings.map(({ settings }) =>
    Object.fromEntries(settings.map(({ name, source, value }) => [name, [source, value]])),
  );
  expect(sources[0]).toMatchObject({
    ...{ 'rewards.vote': ['setup', 33], timeZone: ['default', 'UTC'] },
    ...{ lookupKey: ['file', null], voteSecrets: ['unset', null] },
  });
  expect(sources[1]).toMatchObject({
    ...{ 'rewards.vote': ['environment', 4], timeZone: ['setup', 'Europe/Rome'], guildId: ['setup', '2000'] },
    ...{ lookupKey: ['setup', null], voteSecrets: ['setup', null], premiumSecrets: ['unset', null] },
  });
  expect(sources[2]).toMatchObject({
    ...{ site: ['setup', 'discordbotlist'], slug: ['setup', 'harbour'], siteKey: ['setup', null] },
    ...{ lookupKey: ['unset', null], voteSecrets: ['setup', null], cooldownHours: ['default', 12] },
  });
  const text = describeListings(environment, stored);
  expect(text).toMatch(
    /Listing linked \(server\)\n(?:.*\n)*? {2}voteSecrets +set {2}\(setup\)\n {2}premiumSecrets +\(not set\)/,
  );
  for (const shown of [text, JSON.stringify([...stored])]) expect(shown).not.toContain('hush');
});

it('puts what /setup has stored into effect, community by community, but not of guilds without the bot', async () => {
  const url = await databaseWithSettings();
  const bees = { ...harbour, name: 'bees', lookupKey: 'key-of-the-bees', guildId: '4000' };
  const config = loadConfig(environmentWith([{ ...harbour, guildId: '1000' }, bees]));
  const inEffect = async () => {
    const snapshot = await openSnapshot(url);
    const communities = await communitiesInEffect(snapshot, config);
    await snapshot.close();
    return communities.map((listings) =>
      listings.map(({ name, rewards, timeZone, community }) => [name, rewards.base.perVote, timeZone, community.id]),
    );
  };
  const ofHarbour = (id: number) => [['harbour', 33, 'UTC', id]];
  const ofBees = (id: number) => [['bees', 10, 'UTC', id]];
  const ofLinked = (id: number) => [
    ['linked', 10, 'Europe/Rome', id],
    ['on-site', 10, 'Europe/Rome', id],
  ];
  // Before the program has started with these settings.
  expect(await inEffect()).toEqual([ofHarbour(firstCommunity), ofBees(noCommunity), ofLinked(noCommunity)]);
  const store = await openStore(url, manualClock(), { thread: false });
  await store.communityIds.addConfigured(['1000', '4000']);
  const ofOthers = ofBees(await addCommunity(store, '4000'));
  const linked = await addCommunity(store, '2000');
  expect(await inEffect()).toEqual([ofHarbour(firstCommunity), ofOthers, ofLinked(linked)]);
  await store.communities.setParked('2000', { at: 1, by: 'operator' });
  await store.close();
  expect(await inEffect()).toEqual([ofHarbour(firstCommunity), ofOthers]);
});

it('shows what the variables and the file say without a database, or with an older one', async () => {
  const path = join(tempDir(), 'old.db');
  expect(await readStoredSettings(`sqlite:${path}`)).toEqual(new Map());
  const old = openSqlite(path, { busyTimeoutMs: 100 });
  old.exec('create table entries (id integer primary key)');
  old.close();
  expect(await readStoredSettings(`sqlite:${path}`)).toEqual(new Map());
});
