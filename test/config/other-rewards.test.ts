import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { expect, it } from 'vitest';
import { withOtherRewards } from '../../config/listings.ts';
import { loadConfig } from '../../config/load.ts';
import { environmentWith, harbour } from '../support/listings-file.ts';

const streak = { every: 7, credits: 50, forgive: 1 };
const party = { goal: 10, per: 'week', credits: 5 };
const pier = { ...harbour, name: 'pier', kind: 'bot', id: '9', guildId: '1000' };

/** The rewards of both listings of a guild, of which one gets those of the file, or all if it is null. */
function rewardsWith(rules: object, listing: string | null) {
  const rewards = { vote: 3, streak, party, allListings: 8 };
  const { listings } = loadConfig(environmentWith([{ ...harbour, rewards }, pier]));
  const path = join(tempDir(), 'rules.json');
  writeFileSync(path, JSON.stringify(rules));
  return withOtherRewards(listings, { path, listing }).map(({ rewards: changed }) => changed);
}

it('replace the rules of all listings, of which those that the file leaves out are off', () => {
  expect(rewardsWith({ party: { ...party, goal: 20 } }, null)).toMatchObject([
    { base: { perVote: 3 }, streak: null, party: { goal: 20 }, allListings: 0 },
    { base: { perVote: 10 }, streak: null, party: { goal: 20 }, allListings: 0 },
  ]);
});

it('replace those of one listing, except what the listings of a guild share, which changes in all or stays', () => {
  expect(rewardsWith({ vote: 4, party: { ...party, goal: 20 } }, 'harbour')).toMatchObject([
    { base: { perVote: 4 }, streak, party: { goal: 20 }, allListings: 0 },
    { base: { perVote: 10 }, streak, party: { goal: 20 } },
  ]);
  expect(rewardsWith({ allListings: 2, streak: { every: 2, credits: 1 } }, 'pier')).toMatchObject([
    { base: { perVote: 3 }, streak: { every: 2, credits: 1, forgive: 0 }, party, allListings: 8 },
    { base: { perVote: 10 }, streak: { every: 2, credits: 1, forgive: 0 }, party, allListings: 2 },
  ]);
});
