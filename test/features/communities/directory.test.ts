import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../config/load.ts';
import type { ListingConfig } from '../../../config/schema.ts';
import { createDirectory } from '../../../src/features/communities/directory.ts';
import { listingsByGuild } from '../../../src/features/communities/listings.ts';
import { communityIdsOf } from '../../support/communities.ts';
import { environmentWith, harbour } from '../../support/listings-file.ts';

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

  it('shows nothing of others in a guild without listings once an owner has set up a community', () => {
    const directory = createDirectory([listing('a', guild)], communityIdsOf([listing('a', guild)]));
    directory.replace(new Map([[otherGuild, [listing('b', otherGuild, { linked: true })]]]));
    expect(directory.isShared).toBe(true);
    expect(namesOf(directory.inGuild(strange))).toEqual([]);
    expect(namesOf(directory.inGuild(guild))).toEqual([['a']]);
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
