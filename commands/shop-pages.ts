import {
  bold,
  codeBlock,
  escapeName,
  joined,
  lines,
  markup,
  subtext,
  timestamp,
} from '@tallyhook/platform/texts/markup';
import type { Panel, PanelBlock, Reply, ReplyButton } from '../src/discord/commands/reply.ts';
import { priceText } from '../src/features/shop/price-text.ts';
import type { Offer, StoredPurchase } from '../src/features/shop/purchase.ts';
import type { Texts } from '../src/texts/texts.ts';
import { pageButtons } from './page-buttons.ts';
import { type ComponentOptions, describeOffer } from './shop-item.ts';

/** Few enough for Discord's limits with the longest names: an item counts as three of a message's 40 components. */
export const itemsPerPage = 8;

/** A page of the shop. `page` is counted from 1. */
export function renderShop(
  {
    balance,
    offers,
    page,
    pages,
    options,
  }: { balance: number; offers: readonly Offer[]; page: number; pages: number; options: ComponentOptions },
  texts: Texts,
): Panel {
  const { text } = texts;
  const shown = offers.slice((page - 1) * itemsPerPage, page * itemsPerPage);
  const purchases: ReplyButton = { kind: 'action', label: text('shop.purchases'), action: 'purchases', options };
  const balanceText = text('shop.balance', { credits: text('parts.credits', { count: balance }) });
  return {
    kind: 'panel',
    tone: 'plain',
    title: text('shop.title'),
    blocks: [
      { kind: 'text', text: offers.length === 0 ? lines(text('shop.empty'), balanceText) : balanceText },
      ...shown.map((offer) => renderItem(offer, options, texts)),
      {
        kind: 'buttons',
        buttons: [...(pages === 1 ? [] : pageButtons('shop', texts, { number: page, pages }, options)), purchases],
      },
    ],
    ...(pages === 1 ? {} : { footer: text('parts.page', { number: page, of: pages }) }),
  };
}

/** An item of a list: its name and price, what it is, and the button to buy it. */
function renderItem(offer: Offer, options: ComponentOptions, texts: Texts): PanelBlock {
  const { text } = texts;
  const { id, name, price } = offer.item;
  const title = markup`${bold(escapeName(name))} · ${priceText(price, texts)}`;
  const isReady = offer.rejection !== 'not_ready';
  return {
    kind: 'section',
    text: lines(title, subtext(isReady ? describeOffer(offer, texts) : text('shop.rejections.not_ready'))),
    button: {
      kind: 'action',
      label: text('shop.buy'),
      style: 'primary',
      action: 'buy',
      options: { ...options, item: id },
      // Whatever else prevents the purchase is explained when the button is pressed.
      disabled: offer.left === 0 || !isReady,
    },
  };
}

/** A member's newest purchases, with their codes: nobody else sees the reply. */
export function renderPurchases(purchases: readonly StoredPurchase[], limit: number, texts: Texts): Reply {
  const { text } = texts;

  if (purchases.length === 0)
    return { tone: 'plain', title: text('shop.history.title'), text: text('shop.history.none') };
  const shown = purchases.map(({ name, price, at, state, role, code }) =>
    lines(
      joined(
        [
          bold(escapeName(name)),
          priceText(price, texts),
          timestamp(at, 'f'),
          role !== null && state === 'confirmed'
            ? text('shop.history.rolePending')
            : text(`shop.history.states.${state}`),
        ],
        ' · ',
      ),
      code === null ? null : codeBlock(code),
    ),
  );
  return {
    tone: 'plain',
    title: text('shop.history.title'),
    text: lines(...shown, purchases.length < limit ? null : subtext(text('shop.history.newest', { count: limit }))),
  };
}
