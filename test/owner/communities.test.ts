import { expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../config/load.ts';
import { createDirectory } from '../../src/features/communities/directory.ts';
import { openStore } from '../../src/features/store.ts';
import { createOwnerCommunities } from '../../src/owner/communities.ts';
import { firstCommunity } from '../support/communities.ts';
import { environmentWith, harbour } from '../support/listings-file.ts';
import { manualClock } from '../support/manual-clock.ts';
import { newSqliteUrl } from '../support/new-sqlite.ts';

it('means the only community where none is named, otherwise the home community', async () => {
  const store = await openStore(newSqliteUrl(), manualClock(), { thread: false });
  onTestFinished(() => store.close());
  const { listings } = loadConfig(
    environmentWith([
      { ...harbour, guildId: '1000' },
      { ...harbour, name: 'bees', id: '2000', lookupKey: 'key-of-the-bees', guildId: '2000' },
    ]),
  );
  const homeOf = (configured: typeof listings, home: string | null) => {
    const directory = createDirectory(configured, home);
    const { communityId, guildId } = createOwnerCommunities({
      ...{ store, directory, home },
      standings: store.standingsIn(firstCommunity, 'UTC'),
    }).home;
    return { accounts, guildId };
  };
  // Linked in Discord, without a listing in the settings.
  expect(homeOf(listings.slice(1), null)).toEqual({ accounts: '2000', guildId: '2000' });
  expect(homeOf(listings.slice(1), '2000')).toEqual({ communityId: firstCommunity, guildId: '2000' });
  expect(homeOf(listings, '1000')).toEqual({ communityId: firstCommunity, guildId: '1000' });
  expect(homeOf(listings, null)).toEqual({ communityId: firstCommunity, guildId: null });
  expect(homeOf([], null)).toEqual({ communityId: firstCommunity, guildId: null });
});
