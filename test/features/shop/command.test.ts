import { collectingLog } from '@tallyhook/platform/testing/collecting-log';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { describe, expect, it } from 'vitest';
import { shop } from '../../../commands/shop.ts';
import type { Panel, Reply, ReplyButton } from '../../../src/discord/commands/reply.ts';
import { renderReply } from '../../../src/discord/rendering/message.ts';
import { renderPurchaseMessage, renderPurchaseReport, Shop } from '../../../src/features/shop/parts.ts';
import { type ShopItem, shopItems } from '../../../src/features/shop/purchase.ts';
import { textsIn } from '../../../src/texts/texts.ts';
import { contextFor, inputOf, memberId, otherMemberId, start } from '../../support/command-fixture.ts';
import { firstCommunity } from '../../support/communities.ts';
import { newSqliteUrl } from '../../support/new-sqlite.ts';
import { directMessageQueue } from '../../support/queues.ts';
import { buttonsOf, textOf } from '../../support/reply-parts.ts';
import { itemOf, keys, shout, vip, vipRole } from '../../support/shop-store.ts';
import { openLedger } from '../../support/voting.ts';

const en = textsIn('en-US');

const guildId = inputOf().guildId;
const channelId = '500000000000000009';
const items = [vip, keys, shout];

/** `/shop` over its own database. The member has 100 credits. */
async function openShop(sold: readonly ShopItem[] = items, ownerChannelId: string | null = channelId) {
  const clock = manualClock(start);
  const store = await openLedger(newSqliteUrl(), clock);
  await store.recorder.correct(
    { communityId: firstCommunity, userId: memberId, credits: 100, reason: 'deposit', at: start },
    'deposit',
  );
  const { log, logged } = collectingLog();
  const results: string[] = [];
  const nudged: (readonly string[])[] = [];
  let items = sold;
  const community = () => ({ id: firstCommunity, guildId, ownerChannelId, ...shopItems.as(items) });
  const port = new Shop(
    {
      ...{ directory: { inGuild: () => [community()], ofGuild: community }, reusedRoleAccess: async () => null },
      ...{ isHandled: () => false, store, clock, log },
      nudge: (queues) => nudged.push(queues),
    },
    (result) => results.push(result),
  );
  const context = { ...contextFor(), shop: port };
  let interactions = 0;
  /** Presses a button of a reply, as the member unless `changes` says otherwise. */
  const press = async (
    button: ReplyButton | undefined,
    changes: Parameters<typeof inputOf>[1] = {},
  ): Promise<Reply> => {
    interactions += 1;
    if (button?.kind !== 'action') throw new Error('There is no such button.');
    expect(shop.actions).toContain(button.action);
    const interactionId = `9${interactions}`;
    return shop.execute(inputOf(button.options, { action: button.action, interactionId, ...changes }), context);
  };
  const open = (options = {}, changes = {}) => shop.execute(inputOf(options, changes), context);
  /** Up to the confirmation. */
  const approach = async (id: string) =>
    press(buttonsOf(await open()).find((button) => button.kind === 'action' && button.options?.['item'] === id));
  const buy = async (id: string) => press(buttonOf(await approach(id), 'Confirm'));
  const credits = async () => (await store.ledgerIn(firstCommunity).account(memberId)).credits;
  const replace = (changed: readonly ShopItem[]) => {
    items = changed;
  };
  return { store, open, press, approach, buy, credits, replace, logged, results, nudged };
}

function buttonOf(reply: Reply | Panel, label: string): ReplyButton | undefined {
  return buttonsOf(reply).find((button) => button.label === label);
}

describe('/shop', () => {
  it('lists the items with price, duration, stock and required role', async () => {
    const { open } = await openShop([
      { ...vip, stock: 5, needsRole: '700000000000000009', forMs: 36 * 3_600_000 },
      keys,
      shout,
    ]);
    const reply = await open();
    expect(textOf(reply).split('\n')).toEqual([
      'Your balance: **100** credits',
      '',
      '**VIP** · **30** credits',
      `-# role <@&${vipRole}> for 36 hours · 5 left · only with <@&700000000000000009>`,
      '',
      '**Game key** · **10** credits',
      '-# a code · 3 left',
      '',
      '**Shout-out** · **50** credits',
      '-# handed out by the team',
    ]);
    const buy = { action: 'buy', label: 'Buy', disabled: false };
    expect(buttonsOf(reply)).toMatchObject([
      { ...buy, options: { item: 'vip' } },
      { ...buy, options: { item: 'key' } },
      { ...buy, options: { item: 'shout' } },
      { label: 'My purchases' },
    ]);
    expect(JSON.stringify(reply)).not.toContain('AAA-1');
  });

  it('asks for a confirmation with the balance before and after', async () => {
    const { approach, credits } = await openShop();
    const confirmation = await approach('vip');
    expect(confirmation).toMatchObject({ response: 'update', text: expect.stringContaining('**100** → **70**') });
    expect(textOf(confirmation)).toContain(`You get the role <@&${vipRole}> until <t:`);
    expect(buttonsOf(confirmation).map(({ label }) => label)).toEqual(['Confirm', 'Cancel']);
    expect(await credits()).toBe(100);
  });

  it('sells once per confirmation, however often it is confirmed, and shows the same result', async () => {
    const { approach, press, credits, results } = await openShop();
    const confirm = buttonOf(await approach('key'), 'Confirm');
    const replies = await Promise.all([press(confirm), press(confirm), press(confirm)]);
    expect(replies[1]).toEqual(replies[0]);
    expect(replies[2]).toEqual(replies[0]);
    expect(textOf(replies[0])).toContain('```\nAAA-1\n```');
    expect(textOf(replies[0])).toContain('Your new balance: **90** credits');
    expect(await credits()).toBe(90);
    expect(results).toEqual(['sold', 'repeated', 'repeated']);
    const foreign = await press(confirm, { userId: otherMemberId });
    expect(foreign.tone).toBe('bad');
    expect(JSON.stringify(foreign)).not.toContain('AAA-1');
  });

  it('shows the code again after the item has left the settings, to the buyer alone', async () => {
    const { approach, press, open, replace } = await openShop();
    const confirm = buttonOf(await approach('key'), 'Confirm');
    const receipt = await press(confirm);
    replace([shout]);
    expect(await press(confirm)).toEqual(receipt);
    const purchases = buttonOf(await open(), 'My purchases');
    expect(textOf(await press(purchases))).toMatch(
      /^\*\*Game key\*\* · \*\*10\*\* credits · <t:\d+:f> · done\n```\nAAA-1\n```$/,
    );
    expect(textOf(await press(purchases, { userId: otherMemberId }))).toBe('You have not bought anything yet.');
    expect((await press(buttonOf(await approach('shout'), 'Confirm'))).title).toBe('Thank you!');
  });

  it('sells nothing at another price than the confirmed one, and no item that is gone', async () => {
    const { approach, press, replace, credits } = await openShop();
    const [first, second] = [await approach('vip'), await approach('key')];
    replace([{ ...vip, price: 31 }]);
    expect(textOf(await press(buttonOf(first, 'Confirm')))).toContain('The price has changed.');
    expect(textOf(await press(buttonOf(second, 'Confirm')))).toContain('no longer in the shop');
    expect(await credits()).toBe(100);
  });

  it.each([
    [{ price: 101 }, 'You do not have enough credits.'],
    [{ stock: 0 }, 'This item is sold out.'],
    [{ needsRole: '700000000000000009' }, 'Only for <@&700000000000000009>.'],
  ])('explains why an item with %j cannot be bought, and disables the button', async (changes, text) => {
    const { open, press, credits } = await openShop([{ ...shout, ...changes }]);
    // A message that was sent before may have an enabled one.
    const reply = await press(buttonOf(await open(), 'Buy'));
    expect(textOf(reply)).toContain(text);
    expect(buttonOf(reply, 'Buy')).toMatchObject({ disabled: true });
    expect(await credits()).toBe(100);
  });

  it.each([
    [
      'long',
      { description: `@everyone **${'*'.repeat(180)}`, until: start + 1, limit: 3, stock: 4 },
      '_'.repeat(76),
      6,
    ],
    ['short', {}, '', 5],
    ['short', { picture: null }, '', 4],
  ])(
    'shows every item once, whole and escaped, on pages that Discord accepts, with %s texts',
    async (_, looks, tail, pages) => {
      const many = Array.from({ length: 30 }, (_, index) =>
        itemOf({
          ...{ id: `item${index}`, name: `${index}!${tail}`, manual: true, emoji: '<:gem:1>' },
          picture: index % 3 === 0 ? null : 'https://example.com/gem.png',
          ...looks,
        }),
      );
      const { open } = await openShop(many);
      const seen: string[] = [];
      for (let page = 1, more = true; more; page += 1) {
        const panel = await open({ page });
        const json = JSON.stringify(renderReply(panel, 'shop').components);
        expect(json).toContain(`-# page ${page} of ${pages}`);
        expect(json.match(/"type":/g)?.length).toBeLessThanOrEqual(40);
        const shown = [...json.matchAll(/"content":"((?:[^"\\]|\\.)*)"/g)].map(([, text]) => JSON.parse(`"${text}"`));
        expect(shown.join('').length).toBeLessThanOrEqual(4_000);
        expect(shown.join('')).not.toMatch(/…|@everyone/);
        for (const label of ['Next', 'My purchases']) expect(json).toContain(label);
        seen.push(...[...json.matchAll(/item=(item\d+)/g)].map(([, id = '']) => id));
        more = buttonsOf(panel).some(
          ({ label, ...each }) => label === 'Next' && !('disabled' in each && each.disabled),
        );
      }
      expect(seen).toEqual(many.map(({ id }) => id));
    },
  );

  it('never logs a code', async () => {
    const { buy, logged } = await openShop();
    await buy('key');
    expect(JSON.stringify(logged)).toContain('an item of the shop was sold');
    expect(JSON.stringify(logged)).not.toContain('AAA-1');
  });
});

describe('a purchase that the owner fulfils', () => {
  async function reported() {
    const all = await openShop();
    await all.buy('shout');
    const report = renderPurchaseReport(
      { type: 'purchase', purchaseId: 1, userId: memberId, receiverId: null, item: 'Shout-out', price: 50 },
      en,
    );
    const manager = { isManager: true, userId: otherMemberId, channelId };
    return { ...all, report, manager };
  }

  it('is done once, by a manager in the channel of the report', async () => {
    const { press, report, manager, credits, nudged, results } = await reported();
    const done = buttonOf(report, 'Done');
    expect(await press(done, { ...manager, isManager: false })).toMatchObject({
      tone: 'bad',
      text: en.text('failure.managersOnly'),
    });
    expect(await press(done, { ...manager, channelId: '7' })).toMatchObject({ tone: 'bad' });
    const reply = await press(done, manager);
    expect(reply).toMatchObject({ response: 'update', text: expect.stringContaining(`Done, by <@${otherMemberId}>.`) });
    expect(buttonsOf(reply)).toEqual([]);
    expect(await press(buttonOf(report, 'Refund'), manager)).toMatchObject({
      response: 'new',
      text: expect.stringContaining('This purchase is done already.'),
    });
    expect(await credits()).toBe(50);
    expect(nudged.at(-1)).toEqual([directMessageQueue(memberId, firstCommunity)]);
    expect(results).toEqual(['sold', 'fulfilled']);
  });

  it('is refunded once', async () => {
    const { press, report, manager, credits } = await reported();
    expect(textOf(await press(buttonOf(report, 'Refund'), manager))).toContain(`Refunded, by <@${otherMemberId}>.`);
    await press(buttonOf(report, 'Refund'), manager);
    expect(await credits()).toBe(100);
  });

  it('is a direct message to the buyer, with the name of the item escaped', () => {
    const purchase = { item: '@everyone', price: 1 };
    expect(renderPurchaseMessage('fulfilled', purchase, en).text).toBe('**@\u200Beveryone** is yours now.');
    expect(renderPurchaseMessage('refunded', purchase, en).text).toContain('You got the price back: **1** credit.');
  });
});
