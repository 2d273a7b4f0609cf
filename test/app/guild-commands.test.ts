import { describe, expect, it } from 'vitest';
import { type CommunityId, noCommunity } from '../../src/core/ledger/account.ts';
import { guildCommands, type Sender } from '../support/guild-commands.ts';
import { shout } from '../support/shop-store.ts';

const [guildA, guildB, strange] = ['700000000000000001', '700000000000000002', '700000000000000003'];
const [mira, aiko, stranger] = ['200000000000000001', '200000000000000002', '200000000000000003'];
const [channelA, channelB] = ['500000000000000001', '500000000000000002'];
const longestId = 'x'.repeat(32);
const item = (id: string, name: string) => ({ id, name, price: 1_000, manual: true });
const listing = (name: string, guildId: string | null, changes: object = {}) => ({
  ...{ name, kind: 'server', lookupKey: `key-of-${name}` },
  ...(guildId === null ? {} : { guildId }),
  ...changes,
});
const harbour = listing('harbour', guildA, { ownerChannelId: channelA, shop: [item('lamp', 'A lamp')] });
const island = listing('island', guildB, { ownerChannelId: channelB, shop: [item(longestId, 'A boat')] });

const miraAnywhere: Sender = { guildId: null, userId: mira };
const aikoAnywhere: Sender = { guildId: null, userId: aiko };
const managerOfB: Sender = { guildId: guildB, userId: stranger, channelId: channelB, isManager: true };

/** Mira has 5,100 credits in guild A and 1,200 in guild B; Aiko has 77 in guild A. */
async function twoGuilds(hosted: readonly string[] = ['island']) {
  const started = await guildCommands([harbour, island], hosted);
  const idOfA = started.directory.ofGuild(guildA)?.id ?? noCommunity;
  const idOfB = started.directory.ofGuild(guildB)?.id ?? noCommunity;
  let keys = 0;
  const deposit = (communityId: CommunityId, userId: string, credits: number) => {
    keys += 1;
    const correction = { communityId, userId, credits, reason: 'deposit', at: Date.now() };
    return started.store.recorder.correct(correction, `deposit ${keys}`);
  };
  await deposit(idOfA, mira, 5_100);
  await deposit(idOfB, mira, 1_200);
  await deposit(idOfA, aiko, 77);
  const creditsIn = async (communityId: CommunityId, userId = mira) =>
    (await started.store.ledgerIn(communityId).account(userId)).credits;
  return { ...started, idOfA, idOfB, creditsIn };
}

describe('the season', () => {
  it('is below the boards of the guild alone whose prizes they are', async () => {
    const prizes = [{ per: 'week', by: 'streak', places: [{ from: 1, to: 3, credits: 100 }] }];
    const raffle = { per: 'month', winners: 2, credits: 30 };
    const { run } = await guildCommands(
      [listing('harbour', guildA, { rewards: { prizes, raffle } }), island],
      ['island'],
    );
    const board = (guildId: string) => run({ guildId, userId: mira }, 'leaderboard');
    expect((await board(guildA)).text).toMatch(/#1–3: \*\*100\*\* credits · ends <t:\d+:R>/);
    expect((await board(guildA)).text).toMatch(/\*\*2\*\* members win \*\*30\*\* credits each · ends <t:\d+:R>/);
    expect((await board(guildB)).text).not.toContain('ends');
  });
});

describe('the shop', () => {
  const items = [item('lamp', 'A lamp')];
  const [empty, stocked] = [listing('harbour', guildA), listing('island', guildB, { shop: items })];
  const visitor = { guildId: guildA, userId: mira };

  it('is offered as soon as a community sells something, and no longer than that', async () => {
    const { directory, contexts } = await guildCommands([empty]);
    expect(contexts.offer().lacks).toContain('shop');
    const [harbourListing] = directory.listings;
    if (harbourListing === undefined) throw new Error('no listing');
    directory.replace(new Map([[guildA, [{ ...harbourListing, shop: [shout] }]]]));
    expect(contexts.offer().lacks).not.toContain('shop');
    directory.replace(new Map([[guildA, []]]));
    expect(contexts.offer().lacks).toEqual(expect.arrayContaining(['accounts', 'shop']));
  });

  it('of a guild without items is in no list there, but answers where other guilds have items', async () => {
    const { run } = await guildCommands([empty, stocked], ['harbour', 'island']);
    expect((await run(visitor, 'help')).text).not.toContain('/shop');
    expect((await run(visitor, 'credits')).text).not.toContain('Shop');
    expect((await run(visitor, 'shop')).text).toContain('There is nothing to buy here.');
    expect((await run({ guildId: guildB, userId: mira }, 'help')).text).toContain('/shop');
  });
});

describe('in direct messages, a member with accounts in two guilds', () => {
  it('sees both accounts with /credits, and a member with one account only that', async () => {
    const { run } = await twoGuilds();
    const both = (await run(miraAnywhere, 'credits')).text;
    expect(both).toMatch(/harbour\n\*\*5,100\*\* credits.*\n.*\n.*harbour[\s\S]*island\n\*\*1,200\*\* credits/);
    const one = (await run(aikoAnywhere, 'credits')).text;
    expect(one).toContain('**77** credits');
    expect(one).not.toContain('island');
  });

  it('is offered the listings of both, and is reminded of both', async () => {
    const { run, type, contexts } = await twoGuilds();
    for (const command of ['canvote', 'claim', 'stats', 'reviews']) {
      expect((await type(miraAnywhere, command, 'listing', '')).values, command).toEqual(['harbour', 'island']);
      expect((await type(aikoAnywhere, command, 'listing', '')).values, command).not.toContain('island');
    }
    const { text } = await run(miraAnywhere, 'remind', { state: 'on' });
    expect(text).toMatch(/harbour[\s\S]*island/);
    const { reminders } = await contexts.at(miraAnywhere);
    expect((await reminders.switchOn(mira)).map((each) => each.listing)).toEqual(['harbour', 'island']);
  });

  it('chooses a leaderboard, whose components stay with it', async () => {
    const { run, press } = await twoGuilds();
    const choice = await run(miraAnywhere, 'leaderboard', { by: 'credits' });
    expect(choice.values).toEqual([guildA, guildB]);
    const [select = ''] = choice.ids;
    const board = await press(miraAnywhere, select, [guildB]);
    expect(board.text).toContain('1,200');
    expect(board.text).not.toContain('5,100');
    expect(board.ids.filter((id) => !id.includes(`community=${guildB}`))).toEqual([]);
    const [period = ''] = board.ids;
    expect((await press(miraAnywhere, period, ['week'])).text).toContain('Most credits this week');
    const inGuild = await run({ ...miraAnywhere, guildId: guildB }, 'leaderboard');
    expect(inGuild.ids.some((id) => id.includes('community'))).toBe(false);
  });

  it('chooses a shop and buys there, also an item with the longest id', async () => {
    const { run, press, creditsIn, idOfA, idOfB } = await twoGuilds();
    const [select = ''] = (await run(miraAnywhere, 'shop')).ids;
    const shop = await press(miraAnywhere, select, [guildB]);
    expect(shop.text).toContain('A boat');
    expect(shop.text).not.toContain('A lamp');
    const buy = shop.ids.find((id) => id.includes('/buy:')) ?? '';
    const confirmation = await press(miraAnywhere, buy);
    const confirm = confirmation.ids.find((id) => id.includes('/confirm:')) ?? '';
    await press(miraAnywhere, confirm);
    await press(miraAnywhere, confirm);
    expect(await creditsIn(idOfB)).toBe(200);
    expect(await creditsIn(idOfA)).toBe(5_100);
    const purchases = shop.ids.find((id) => id.includes('/purchases:')) ?? '';
    expect((await press(miraAnywhere, purchases)).text).toContain('A boat');
  });

  it('is informed that all guilds are forgotten', async () => {
    const { run } = await twoGuilds();
    expect((await run(miraAnywhere, 'privacy', { action: 'forget' })).text).toContain('**all servers**');
    const single = await guildCommands([harbour]);
    expect((await single.run(miraAnywhere, 'privacy', { action: 'forget' })).text).not.toContain('all servers');
  });
});

describe('a manager of guild B', () => {
  it('sees and changes only accounts of guild B', async () => {
    const { run, creditsIn, idOfA, idOfB } = await twoGuilds();
    await run(managerOfB, 'award', { user: mira, credits: 50, reason: 'fair' });
    expect(await creditsIn(idOfB)).toBe(1_250);
    expect(await creditsIn(idOfA)).toBe(5_100);
    for (const [name, options] of [
      ['trace', { user: mira }],
      ['credits', { user: mira }],
      ['leaderboard', {}],
      ['shop', {}],
    ] as const) {
      const { text } = await run(managerOfB, name, options);
      expect(text, name).not.toMatch(/5,100|harbour|A lamp/);
      expect(text, name).not.toBe('');
    }
    expect((await run(managerOfB, 'trace', { user: mira })).text).toContain('fair');
    expect((await run(managerOfB, 'credits', { user: aiko })).text).not.toContain('77');
  });

  it('is offered no listing of guild A, and cannot name one', async () => {
    const { run, type } = await twoGuilds();
    for (const command of ['canvote', 'claim', 'stats', 'reviews']) {
      const { values } = await type(managerOfB, command, 'listing', 'harb');
      expect(values, command).toEqual([]);
      expect((await type(managerOfB, command, 'listing', '')).values, command).not.toContain('harbour');
      expect((await run(managerOfB, command, { listing: 'harbour' })).text, command).toContain(
        'There is no listing **harbour**.',
      );
    }
  });

  it('gets nothing of guild A by forged components', async () => {
    const { press, creditsIn, idOfA, store } = await twoGuilds();
    const forged = [
      `tallyhook:leaderboard:period=all&by=credits&page=1&community=${guildA}`,
      `tallyhook:leaderboard/community:period=all&by=credits`,
      `tallyhook:shop/purchases:community=${guildA}`,
      `tallyhook:shop/buy:item=lamp&community=${guildA}`,
      `tallyhook:shop/cancel:community=${guildA}`,
      'tallyhook:shop/buy:item=lamp',
    ];
    for (const sender of [managerOfB, { ...managerOfB, guildId: strange }]) {
      for (const id of forged) {
        const { text } = await press(sender, id, id.includes('/community:') ? [guildA] : undefined);
        expect(text, id).not.toMatch(/5,100|A lamp|harbour|77/);
        expect(text, id).not.toBe('');
      }
    }
    const confirmation = `tallyhook:shop/confirm:item=lamp&price=1000&id=400000000000000000&community=${guildA}`;
    await press({ ...managerOfB, userId: mira }, confirmation);
    expect(await creditsIn(idOfA)).toBe(5_100);
    expect(await store.shop.purchasesOf(mira, idOfA, 5)).toEqual([]);
  });
});

describe('a guild without listings', () => {
  const there: Sender = { guildId: strange, userId: mira, isManager: true };

  it('learns only how to link one, while other guilds share the program', async () => {
    const { run, creditsIn, idOfA } = await twoGuilds();
    for (const name of ['credits', 'leaderboard', 'shop', 'trace', 'award', 'canvote', 'stats', 'reviews', 'claim']) {
      const { text } = await run(there, name, { user: mira, credits: 5, reason: 'mine' });
      expect(text, name).toContain('No listing is linked to this server yet.');
    }
    expect(await creditsIn(idOfA)).toBe(5_100);
    for (const name of ['help', 'privacy']) {
      expect((await run(there, name)).text, name).not.toContain('No listing is linked');
    }
  });

  it('has all listings of the operator, and the own accounts of its members', async () => {
    const { run, contexts, creditsIn, idOfA, idOfB } = await twoGuilds([]);
    const names = async (userId: string) =>
      (await contexts.at({ guildId: strange, userId })).listings.map(({ name }) => name);
    expect(await names(mira)).toEqual(['harbour', 'island']);
    expect(await names(aiko)).toEqual(['harbour', 'island']);
    expect((await run(there, 'credits')).text).toMatch(/5,100[\s\S]*1,200/);
    const aikos = (await run({ ...there, userId: aiko }, 'credits')).text;
    expect(aikos).toContain('**77** credits');
    expect(aikos).not.toContain('island');
    for (const name of ['award', 'trace']) {
      const { text } = await run(there, name, { user: mira, credits: 5, reason: 'mine' });
      expect(text, name).toContain('No listing is linked to this server yet.');
    }
    expect([await creditsIn(idOfA), await creditsIn(idOfB)]).toEqual([5_100, 1_200]);
  });

  it('has no managers of the only community, unless the guild of that is not known', async () => {
    const award = { user: mira, credits: 5, reason: 'mine' };
    const known = await guildCommands([harbour]);
    for (const name of ['award', 'trace']) {
      expect((await known.run(there, name, award)).text, name).toContain('No listing is linked to this server yet.');
    }
    expect((await known.run({ ...there, guildId: guildA }, 'award', award)).text).toContain('**5** credits');
    expect((await known.run(there, 'credits')).text).toContain('**5** credits');
    const unknown = await guildCommands([listing('harbour', null)]);
    expect((await unknown.run(there, 'award', award)).text).toContain('**5** credits');
    expect((await unknown.run(there, 'trace', award)).text).toContain('mine');
  });
});

it('in direct messages about the only guild that was linked in Discord are for its members', async () => {
  const { run, store, directory } = await guildCommands([harbour], ['harbour']);
  const communityId = directory.ofGuild(guildA)?.id ?? noCommunity;
  await store.recorder.correct(
    { communityId, userId: mira, credits: 77, reason: 'deposit', at: Date.now() },
    'deposit',
  );
  expect((await run(miraAnywhere, 'leaderboard')).text).toContain(mira);
  expect((await run({ guildId: null, userId: stranger }, 'leaderboard')).text).not.toContain(mira);
});
