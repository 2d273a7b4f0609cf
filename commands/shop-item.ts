import { packSnowflake, unpackSnowflake } from '@tallyhook/platform/packed-snowflake';
import { isSnowflake } from '@tallyhook/platform/snowflake';
import {
  bold,
  codeBlock,
  escapeName,
  joined,
  lines,
  type Markup,
  markup,
  roleMention,
  subtext,
  timestamp,
} from '@tallyhook/platform/texts/markup';
import { pageButtons } from '../src/discord/commands/offers.ts';
import type { OptionValue, Panel, PanelBlock, Reply, ReplyButton } from '../src/discord/commands/reply.ts';
import { priceText } from '../src/features/shop/price-text.ts';
import type { Offer, StoredPurchase } from '../src/features/shop/purchase.ts';
import type { PurchaseRejection } from '../src/features/shop/rules.ts';
import type { Texts } from '../src/texts/texts.ts';

export type ComponentOptions = Readonly<Record<string, OptionValue>>;

/** An item with the button to buy it, or why it cannot be bought. */
export function renderOffer(offer: Offer, balance: number, options: ComponentOptions, texts: Texts): Reply {
  const { text } = texts;
  const { item, rejection } = offer;
  const disabled = rejection !== null;
  return {
    tone: disabled ? 'wait' : 'plain',
    title: escapeName(item.name),
    text: lines(
      priceText(item.price, texts),
      describeOffer(offer, texts),
      text('shop.balance', { credits: text('parts.credits', { count: balance }) }),
      rejection === null ? null : describeRejection(rejection, item.needsRole, texts),
    ),
    buttons: [
      {
        kind: 'action',
        label: text('shop.buy'),
        style: 'primary',
        action: 'buy',
        options: { ...options, item: item.id },
        disabled,
      },
      backButton(text('shop.button'), options),
    ],
  };
}

function describeRejection(rejection: PurchaseRejection, needsRole: string | null, { text }: Texts): Markup {
  return rejection === 'role_required'
    ? text('shop.rejections.role_required', { role: roleMention(needsRole ?? '') })
    : text(`shop.rejections.${rejection}`);
}

/** @param confirmationId the id of the interaction that is answered with this */
export function renderConfirmation(
  offer: Offer,
  balance: number,
  { confirmationId, options: community }: { readonly confirmationId: string; readonly options: ComponentOptions },
  texts: Texts,
): Reply {
  const { text } = texts;
  const { id, name, price, role, codeCount } = offer.item;

  const until = offer.until === null ? null : timestamp(offer.until, 'f');
  const options = packConfirmation({ item: id, price, id: confirmationId }, community);
  return {
    tone: 'plain',
    title: text('shop.confirmation.title'),
    text: lines(
      text('shop.confirmation.item', { name: escapeName(name), price: priceText(price, texts) }),
      text('shop.confirmation.balance', { before: balance, after: balance - price }),
      role === null
        ? text(codeCount === null ? 'shop.confirmation.manual' : 'shop.confirmation.code')
        : until === null
          ? text('shop.confirmation.role', { role: roleMention(role) })
          : text('shop.confirmation.roleUntil', { role: roleMention(role), time: until }),
    ),
    buttons: [
      { kind: 'action', label: text('shop.confirm'), style: 'success', action: 'confirm', options },
      backButton(text('shop.cancel'), community),
    ],
  };
}

/** The same for every press of the button. */
export function renderReceipt(purchase: StoredPurchase, options: ComponentOptions, texts: Texts): Reply {
  const { text } = texts;
  const { name, price, balance, state } = purchase;

  const isRefunded = state === 'refunded';
  return {
    tone: isRefunded ? 'wait' : 'good',
    title: isRefunded ? text('shop.receipt.refundedTitle') : text('shop.receipt.title'),
    text: lines(
      text('shop.receipt.bought', { name: escapeName(name), price: priceText(price, texts) }),
      ...(isRefunded ? [text('shop.receipt.refunded')] : deliveryOf(purchase, texts)),
      isRefunded ? null : text('shop.receipt.balance', { credits: text('parts.credits', { count: balance }) }),
    ),
    buttons: [backButton(text('shop.button'), options)],
  };
}

/** How the buyer gets the item. */
function deliveryOf({ role, until, code, state }: StoredPurchase, { text }: Texts): readonly (Markup | null)[] {
  const isOpen = state === 'confirmed';
  if (role !== null) {
    const given =
      until === null
        ? text('shop.receipt.role', { role: roleMention(role) })
        : text('shop.receipt.roleUntil', { role: roleMention(role), time: timestamp(until, 'f') });
    return [given, isOpen ? text('shop.receipt.roleSoon') : null];
  }
  return code === null
    ? [text(isOpen ? 'shop.receipt.manual' : 'shop.receipt.fulfilled')]
    : [text('shop.receipt.code'), codeBlock(code)];
}

/** Nothing was bought. */
export function renderRejection(
  rejection: Exclude<PurchaseRejection, 'role_required'>,
  balance: number,
  options: ComponentOptions,
  { text }: Texts,
): Reply {
  return {
    tone: 'bad',
    title: text('failure.title'),
    text: lines(
      text(`shop.rejections.${rejection}`),
      text('shop.balance', { credits: text('parts.credits', { count: balance }) }),
    ),
    buttons: [backButton(text('shop.button'), options)],
  };
}

function backButton(label: string, options: ComponentOptions): ReplyButton {
  return { kind: 'action', label, action: 'cancel', options };
}

/** What the buyer gets, how many are left, and the required role. */
export function describeOffer({ item, left }: Offer, texts: Texts): Markup {
  const { text } = texts;
  const { role, forMs, needsRole, codeCount } = item;
  return joined(
    [
      role === null
        ? text(codeCount === null ? 'shop.manual' : 'shop.code')
        : forMs === null
          ? text('shop.role', { role: roleMention(role) })
          : text('shop.roleFor', { role: roleMention(role), duration: texts.duration(forMs) }),
      left === null ? null : left === 0 ? text('shop.soldOut') : text('shop.left', { count: left }),
      needsRole === null ? null : text('shop.requires', { role: roleMention(needsRole) }),
    ],
    ' · ',
  );
}

/** What the button of a confirmation contains. */
interface Confirmation {
  /** An id of at most 32 characters. */
  readonly item: string;
  /** Credits. */
  readonly price: number;
  /** The id of an interaction. */
  readonly id: string;
}

/**
 * The options of the button that confirms a purchase. With a community they are packed, because the id of a button has
 * at most 100 characters.
 * @param options `community`, or none if there is only one
 */
export function packConfirmation(confirmation: Confirmation, { community }: ComponentOptions): ComponentOptions {
  const { item, price, id } = confirmation;
  if (community === undefined) return { item, price, id };
  return { i: item, p: price, n: pack(id), c: pack(String(community)) };
}

/** The options as they were before {@link packConfirmation}. They can be forged. */
export function unpackConfirmation(options: ComponentOptions): ComponentOptions {
  const { i, p, n, c } = options;
  if (c === undefined) return options;
  return { item: i ?? '', price: p ?? '', id: unpack(String(n)), community: unpack(String(c)) };
}

/** Other texts than snowflakes are not changed: they are short. */
function pack(text: string): string {
  return isSnowflake(text) ? packSnowflake(text) : text;
}

function unpack(text: string): string {
  return unpackSnowflake(text) ?? text;
}

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
