import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../config/load.ts';
import { noCommunity } from '../../src/core/ledger/account.ts';
import { prepareCommunities } from '../../src/features/communities/community-ids.ts';
import { createDirectory } from '../../src/features/communities/directory.ts';
import { openStore } from '../../src/features/store.ts';
import { createOwnerCommunities } from '../../src/owner/communities.ts';
import { addCommunity, firstCommunity } from '../support/communities.ts';
import { environmentWith, harbour } from '../support/listings-file.ts';
import { newSqliteUrl } from '../support/new-sqlite.ts';

const [guildA, guildB] = ['1000', '2000'];
/** Bots, since a server is its own guild. */
const listing = (name: string, guildId?: string) => ({
  ...{ ...harbour, kind: 'bot', name, lookupKey: `key-of-${name}` },
  ...(guildId !== undefined && { guildId }),
});

/** @param hosted guilds with a community that the settings do not name */
async function open(files: readonly object[], hosted: readonly string[] = []) {
  const store = await openStore(newSqliteUrl(), manualClock(), { thread: false });
  onTestFinished(() => store.close());
  const { listings } = files.length === 0 ? { listings: [] } : loadConfig(environmentWith(files));
  const communityIds = await prepareCommunities(store.communityIds, listings);
  await communityIds.add(hosted);
  const directory = createDirectory(listings, communityIds.of);
  const communities = createOwnerCommunities({ store, directory, communityIds });
  const summary = communities.all().map(({ id, guildId }) => [id, guildId]);
  return { store, communities, summary };
}

describe('where no community is named', () => {
  it('the only one is meant, with or without a guild', async () => {
    const { communities, summary } = await open([listing('a', guildA), listing('b', guildA)], [guildB]);
    expect(summary).toEqual([[firstCommunity, guildA]]);
    expect(communities.at(null)).toMatchObject({ id: firstCommunity, guildId: guildA });
    expect((await open([listing('a')])).communities.at(null)).toMatchObject({ id: firstCommunity, guildId: null });
  });

  it('listings without a guild belong to the guild of the first one', async () => {
    const { communities, summary } = await open([listing('a', guildA), listing('b')]);
    expect(summary).toEqual([[firstCommunity, guildA]]);
    expect(communities.at('none')).toMatchObject({ id: firstCommunity, guildId: guildA });
  });

  it('it is an empty one before the first listing', async () => {
    const { communities } = await open([]);
    const community = communities.at(null);
    expect(community).toMatchObject({ id: noCommunity, guildId: null });
    expect(await community.ledger.account('1')).toMatchObject({ credits: 0 });
  });
});

it('those of a member are the ones with an account, or the first one', async () => {
  const { store, communities } = await open([listing('a', guildA)], [guildB]);
  expect(await communities.of('1')).toMatchObject([{ id: firstCommunity }]);
  const communityId = await addCommunity(store, guildB);
  await store.recorder.correct({ communityId, userId: '1', credits: 5, reason: 'test', at: 0 }, 'key');
  expect(await communities.of('1')).toMatchObject([{ id: communityId, guildId: guildB }]);
});
