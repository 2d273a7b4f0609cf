import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../config/load.ts';
import { readReceiverOptions } from '../../config/receiver-options.ts';
import { shopItems } from '../../src/features/shop/purchase.ts';
import { environmentWith, harbour, issuesOf } from '../support/listings-file.ts';

const bot = { name: 'quartermaster', kind: 'bot', id: '9', guildId: '1000' };
const party = { goal: 100, per: 'week', credits: 25 };
const shop = [{ id: 'vip', name: 'VIP', price: 100, manual: true }];

function listingsOf(listings: readonly object[], variables: Record<string, string> = {}) {
  return loadConfig({ ...environmentWith(listings), ...variables }).listings;
}

describe('the guild of a listing', () => {
  const guildIds = (listings: readonly object[], variables = {}) =>
    listingsOf(listings, variables).map(({ guildId }) => guildId);
  const { guildId: _, ...guildlessBot } = bot;

  it('is its own, else DISCORD_GUILD_ID, else the server', () => {
    const own = { ...harbour, guildId: '3000' };
    expect(guildIds([own, guildlessBot], { DISCORD_GUILD_ID: '2000' })).toEqual(['3000', '2000']);
    expect(guildIds([own, guildlessBot])).toEqual(['3000', '3000']);
    expect(guildIds([harbour, guildlessBot], { DISCORD_GUILD_ID: '2000' })).toEqual(['2000', '2000']);
    expect(guildIds([harbour, guildlessBot])).toEqual(['1000', '1000']);
  });

  it('is unknown for a bot without a server, or with several', () => {
    const keyed = { ...guildlessBot, lookupKey: 'key' };
    expect(guildIds([keyed])).toEqual([null]);
    expect(guildIds([harbour, { ...harbour, name: 'other', id: '2000' }, keyed])).toEqual(['1000', '2000', null]);
  });
});

describe('the listings of a guild', () => {
  const community = { timeZone: 'Europe/Berlin', ownerChannelId: '5', shop };

  it('inherit time zone, owner channel, shop and the rewards of members from each other, in any order', () => {
    const rewards = { party, milestones: [{ votes: 10, credits: 5 }], allListings: 20, firstVote: 2 };
    const inherited = { party, milestones: [{ votes: 10 }], allListings: 20, firstVote: 2 };
    const configured = { ...harbour, ...community, rewards: { vote: 3, ...rewards } };
    for (const listings of [
      [configured, bot],
      [bot, configured],
    ]) {
      const [first, second] = listingsOf(listings);
      expect(first).toMatchObject({ timeZone: 'Europe/Berlin', ownerChannelId: '5', rewards: inherited });
      expect(second).toMatchObject({ timeZone: 'Europe/Berlin', ownerChannelId: '5', rewards: inherited });
      const [own, other] = [first ?? {}, second ?? {}].map(shopItems.in);
      expect(own).toMatchObject([{ id: 'vip' }]);
      expect(other).toEqual(own);
      expect(new Set([first?.rewards.base.perVote, second?.rewards.base.perVote])).toEqual(new Set([3, 10]));
    }
  });

  it('do not inherit from another guild', () => {
    const [, other] = listingsOf([
      { ...harbour, ...community, rewards: { party } },
      { ...bot, guildId: '2000' },
    ]);
    expect(other).toMatchObject({ timeZone: 'UTC', ownerChannelId: null, shop: [], rewards: { party: null } });
  });

  it.each<[string, object, object]>([
    ['timeZone', { timeZone: 'Europe/Berlin' }, { timeZone: 'Europe/Paris' }],
    ['ownerChannelId', { ownerChannelId: '5' }, { ownerChannelId: '6' }],
    ['rewards.party', { rewards: { party } }, { rewards: { party: { ...party, goal: 101 } } }],
    ['rewards.allListings', { rewards: { allListings: 20 } }, { rewards: { allListings: 0 } }],
    ['shop', { shop }, { shop: [] }],
  ])('are rejected with both names if they differ: %s', (name, first, second) => {
    const middle = { ...bot, name: 'between' };
    const listings = [{ ...harbour, ...first }, middle, { ...bot, ...second }];
    expect(issuesOf(environmentWith(listings))).toMatchObject([
      {
        setting: `TALLYHOOK_CONFIG listings.2.${name}`,
        problem: expect.stringMatching(/"harbour" and "quartermaster".*guild \(1000\)/),
      },
    ]);
    expect(
      listingsOf([
        { ...harbour, ...first },
        { ...bot, ...second, guildId: '2000' },
      ]),
    ).toHaveLength(2);
  });
});

describe('a role', () => {
  const { id: _, ...unknownGuild } = harbour;

  it.each<[string, object]>([
    ['of voters', { rewards: { voterRole: { role: '1000' } } }],
    ['of a premium tier', { rewards: { premiumRoles: { Gold: '1000' } } }],
    ['of a milestone', { rewards: { milestones: [{ votes: 1, role: '1000' }] } }],
    ['of a multiplier', { rewards: { multipliers: [{ factor: 2, role: '1000' }] } }],
    ['of a shop item', { shop: [{ id: 'a', name: 'a', price: 1, role: '1000' }] }],
    ['that a shop item requires', { shop: [{ id: 'a', name: 'a', price: 1, manual: true, needsRole: '1000' }] }],
  ])('%s needs a guild, and is not @everyone', (_name, rewards) => {
    expect(issuesOf(environmentWith([{ ...unknownGuild, ...rewards }]))).toMatchObject([
      { setting: 'TALLYHOOK_CONFIG listings.0', problem: expect.stringContaining('is not configured') },
    ]);
    expect(issuesOf(environmentWith([{ ...harbour, ...rewards }]))).toMatchObject([
      { setting: 'TALLYHOOK_CONFIG listings.0', problem: expect.stringContaining('@everyone') },
    ]);
    expect(issuesOf(environmentWith([{ ...harbour, guildId: '7', ...rewards }]))).toEqual([]);
  });

  it('is reported once if a shop that several listings share names it, and not for the listings that inherit it', () => {
    const items = [{ id: 'a', name: 'a', price: 1, role: '5' }];
    expect(
      issuesOf(
        environmentWith([
          { ...unknownGuild, shop: items },
          { ...bot, guildId: undefined },
        ]),
      ),
    ).toMatchObject([{ setting: 'TALLYHOOK_CONFIG listings.0' }]);
  });
});

describe('a time zone', () => {
  it.each(['Mars/Olympus', '+01:00', '', 'Europe/Berlin '])(
    'is rejected if it is not an IANA name: "%s"',
    (timeZone) => {
      expect(issuesOf(environmentWith([{ ...harbour, timeZone }]))).toMatchObject([
        { setting: 'TALLYHOOK_CONFIG listings.0.timeZone', problem: expect.stringContaining('Europe/Berlin') },
      ]);
    },
  );
});

const listed = (name: string, count: number, changes: object = {}) => ({
  ...harbour,
  name,
  voteSecrets: Array.from({ length: count }, (_, index) => `${name}-secret-number-${index}`),
  ...changes,
});

it('the shared addresses accept at most 200 secrets, and what else to do is said', () => {
  expect(issuesOf(environmentWith([listed('a', 100), listed('b', 100)]))).toEqual([]);
  const tooMany = [listed('a', 100), listed('b', 101)];
  expect(issuesOf(environmentWith(tooMany))).toMatchObject([
    {
      setting: 'listings',
      problem: 'have 201 different secrets, and the shared addresses accept at most 200.',
      hint: expect.stringContaining('"ownAddress": true'),
    },
  ]);
  const ofReceiver = tooMany.map(({ name, kind, voteSecrets }) => ({ name, kind, voteSecrets }));
  expect(() => readReceiverOptions({ listings: ofReceiver, database: ':memory:' })).toThrow(/201 different secrets/);
});

it('secrets of listings with an address of their own, of other sites, and those that are shared do not count', () => {
  const shared = { voteSecrets: listed('a', 150).voteSecrets };
  const { listings } = loadConfig(
    environmentWith([
      ...[listed('a', 150), listed('b', 150, shared), listed('c', 150, { ownAddress: true })],
      { name: 'd', kind: 'bot', site: 'topgg', voteSecrets: listed('d', 150).voteSecrets },
    ]),
  );
  expect(listings.map(({ ownAddress }) => ownAddress)).toEqual([undefined, undefined, true, undefined]);
});
