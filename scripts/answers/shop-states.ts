import type { MemberName, Shown, Stage } from './stage.ts';
import { type Scene, state } from './state.ts';

/** Presses "Buy" beside an item of the shop. */
async function choose(stage: Stage, item: string, as?: MemberName): Promise<Shown> {
  return stage.press(await stage.run('shop', {}, as), 'shop/buy', `item=${item}`);
}

async function buy(stage: Stage, item: string): Promise<Shown> {
  return stage.press(await choose(stage, item), 'shop/confirm');
}

/** The shop, with one piece of an item that is sold out after the first purchase. */
export const shopScene: Scene = {
  title: 'The shop',
  options: {
    listingSettings: {
      shop: [
        {
          ...{ id: 'vip', name: 'VIP for a week', price: 50, role: '1190000000000000027', for: '7d', stock: 5 },
          ...{ emoji: '⚓', description: 'A seat at the captain’s table, and a name in gold.', limit: 2 },
        },
        { id: 'key', name: 'Game key', price: 40, codes: ['LANTERN-1111', 'LANTERN-2222'], stock: 1 },
        { id: 'shout', name: 'Shout-out', price: 30, manual: true, needsRole: '1190000000000000022' },
      ],
    },
  },
  states: [
    state('shop-poor', '/shop: too few credits', 'You do not have enough credits', (stage) =>
      choose(stage, 'vip', 'juniper'),
    ),
    state('purchases-none', '/shop: no purchases yet', 'You have not bought anything yet', async (stage) =>
      stage.press(await stage.run('shop', {}, 'juniper'), 'shop/purchases'),
    ),
    state('shop', '/shop', 'Game key · 40 credits. a code · 1 left', async (stage) => {
      await stage.run('award', { user: stage.id('mira'), credits: 200, reason: 'Opening day' });
      return stage.run('shop');
    }),
    state('shop-confirmation', '/shop: the confirmation', 'Buy this?', (stage) => choose(stage, 'vip')),
    state('shop-receipt', '/shop: the receipt', 'You bought VIP for a week', (stage) => buy(stage, 'vip')),
    state('shop-code', '/shop: the receipt of a code', 'LANTERN-1111', (stage) => buy(stage, 'key')),
    state('shop-sold-out', '/shop: an item is sold out', 'a code · sold out', (stage) => stage.run('shop')),
    state('shop-required-role', '/shop: a role is required', 'Only for @', (stage) => choose(stage, 'shout')),
    state('purchases', '/shop: purchases', 'LANTERN-1111. VIP for a week', async (stage) =>
      stage.press(await stage.run('shop'), 'shop/purchases'),
    ),
    state('shop-report', 'The report of a purchase to the owner', '@mira bought Shout-out', async (stage) => {
      await stage.announcedVote('mira');
      const { discord } = stage.sandbox;
      const hasRole = () => discord.rolesOf(stage.id('mira')).includes(discord.roles.voter) || undefined;
      await stage.waitFor('the role', hasRole);
      return { message: await stage.newMessage(stage.channels.general, () => buy(stage, 'shout')), viewer: 'mira' };
    }),
  ],
};
