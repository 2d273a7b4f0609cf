import type { Shown, Stage } from './stage.ts';
import type { AnswerState, Scene } from './state.ts';

const state = (name: string, title: string, show: AnswerState['show']): AnswerState => ({ name, title, show });

async function confirmation(stage: Stage, item: string): Promise<Shown> {
  const shop = await stage.run('shop');
  return stage.press(await openItem(stage, shop, item), 'shop/buy');
}

/** The page of an item. */
function openItem(stage: Stage, shop: Shown, item: string): Promise<Shown> {
  return stage.choose(shop, item);
}

/** The shop, with one piece of an item that is sold out after the first purchase. */
export const shopScene: Scene = {
  title: 'The shop',
  options: {
    listingSettings: {
      shop: [
        { id: 'vip', name: 'VIP for a week', price: 50, role: '1190000000000000027', for: '7d', stock: 5 },
        { id: 'key', name: 'Game key', price: 40, codes: ['LANTERN-1111'] },
        { id: 'shout', name: 'Shout-out', price: 30, manual: true, needsRole: '1190000000000000022' },
      ],
    },
  },
  states: [
    state('shop-poor', '/shop: too few credits', async (stage) =>
      openItem(stage, await stage.run('shop', {}, 'juniper'), 'vip'),
    ),
    state('purchases-none', '/shop: no purchases yet', async (stage) =>
      stage.press(await stage.run('shop', {}, 'juniper'), 'shop/purchases'),
    ),
    state('shop', '/shop', async (stage) => {
      await stage.run('award', { user: stage.id('mira'), credits: 200, reason: 'Opening day' });
      return stage.run('shop');
    }),
    state('shop-item', '/shop: an item', async (stage) => openItem(stage, await stage.run('shop'), 'vip')),
    state('shop-confirmation', '/shop: the confirmation', (stage) => confirmation(stage, 'vip')),
    state('shop-receipt', '/shop: the receipt', async (stage) =>
      stage.press(await confirmation(stage, 'vip'), 'shop/confirm'),
    ),
    state('shop-code', '/shop: the receipt of a code', async (stage) =>
      stage.press(await confirmation(stage, 'key'), 'shop/confirm'),
    ),
    state('shop-sold-out', '/shop: sold out', async (stage) => openItem(stage, await stage.run('shop'), 'key')),
    state('shop-required-role', '/shop: a role is required', async (stage) =>
      openItem(stage, await stage.run('shop'), 'shout'),
    ),
    state('purchases', '/shop: purchases', async (stage) => stage.press(await stage.run('shop'), 'shop/purchases')),
    state('shop-report', 'The report of a purchase to the owner', async (stage) => {
      await stage.announcedVote('mira');
      const { discord } = stage.sandbox;
      const hasRole = () => discord.rolesOf(stage.id('mira')).includes(discord.roles.voter) || undefined;
      await stage.waitFor('the role', hasRole);
      const buy = async () => stage.press(await confirmation(stage, 'shout'), 'shop/confirm');
      const message = await stage.newMessage(stage.channels.general, buy);
      return { message, viewer: 'mira' };
    }),
  ],
};
