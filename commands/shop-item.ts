import type { OptionValue, Reply, ReplyButton } from '../src/discord/commands/reply.ts';
import type { Offer, StoredPurchase } from '../src/features/shop/purchase.ts';
import type { PurchaseRejection } from '../src/features/shop/rules.ts';
import { packSnowflake, unpackSnowflake } from '../src/platform/packed-snowflake.ts';
import { isSnowflake } from '../src/platform/snowflake.ts';
import { codeBlock, escapeName, joined, lines, type Markup, roleMention, timestamp } from '../src/texts/markup.ts';
import type { Texts } from '../src/texts/texts.ts';

export type ComponentOptions = Readonly<Record<string, OptionValue>>;

/** An item with the button to buy it, or why it cannot be bought. */
export function renderOffer(offer: Offer, balance: number, options: ComponentOptions, texts: Texts): Reply {
  const { shop } = texts;
  const { item, rejection } = offer;
  const disabled = rejection !== null;
  return {
    tone: disabled ? 'wait' : 'plain',
    title: escapeName(item.name),
    text: lines(
      shop.price(item.price),
      describeOffer(offer, texts),
      shop.balance(balance),
      rejection === null ? null : describeRejection(rejection, item.needsRole, texts),
    ),
    buttons: [
      {
        kind: 'action',
        label: shop.buy,
        style: 'primary',
        action: 'buy',
        options: { ...options, item: item.id },
        disabled,
      },
      backButton(shop.button, options),
    ],
  };
}

function describeRejection(rejection: PurchaseRejection, needsRole: string | null, { shop }: Texts): Markup {
  return rejection === 'role_required' ? shop.roleRequired(roleMention(needsRole ?? '')) : shop.rejections[rejection];
}

/** @param confirmationId the id of the interaction that is answered with this */
export function renderConfirmation(
  offer: Offer,
  balance: number,
  { confirmationId, options: community }: { readonly confirmationId: string; readonly options: ComponentOptions },
  { shop }: Texts,
): Reply {
  const { id, name, price, role, codeCount } = offer.item;
  const { confirmation } = shop;
  const until = offer.until === null ? null : timestamp(offer.until, 'f');
  const options = packConfirmation({ item: id, price, id: confirmationId }, community);
  return {
    tone: 'plain',
    title: confirmation.title,
    text: lines(
      confirmation.item(escapeName(name), price),
      confirmation.balance(balance, balance - price),
      role !== null ? confirmation.role(roleMention(role), until) : null,
      role === null ? confirmation[codeCount === null ? 'manual' : 'code'] : null,
    ),
    buttons: [
      { kind: 'action', label: shop.confirm, style: 'success', action: 'confirm', options },
      backButton(shop.cancel, community),
    ],
  };
}

/** The same for every press of the button. */
export function renderReceipt(purchase: StoredPurchase, options: ComponentOptions, { shop }: Texts): Reply {
  const { name, price, balance, state } = purchase;
  const { receipt } = shop;
  const isRefunded = state === 'refunded';
  return {
    tone: isRefunded ? 'wait' : 'good',
    title: isRefunded ? receipt.refundedTitle : receipt.title,
    text: lines(
      receipt.bought(escapeName(name), price),
      ...(isRefunded ? [receipt.refunded] : deliveryOf(purchase, receipt)),
      isRefunded ? null : receipt.balance(balance),
    ),
    buttons: [backButton(shop.button, options)],
  };
}

/** How the buyer gets the item. */
function deliveryOf(
  { role, until, code, state }: StoredPurchase,
  receipt: Texts['shop']['receipt'],
): readonly (Markup | null)[] {
  const isOpen = state === 'confirmed';
  if (role !== null) {
    const end = until === null ? null : timestamp(until, 'f');
    return [receipt.role(roleMention(role), end), isOpen ? receipt.roleSoon : null];
  }
  return code === null ? [isOpen ? receipt.manual : receipt.fulfilled] : [receipt.code, codeBlock(code)];
}

/** Nothing was bought. */
export function renderRejection(
  rejection: Exclude<PurchaseRejection, 'role_required'>,
  balance: number,
  options: ComponentOptions,
  { shop, failure }: Texts,
): Reply {
  return {
    tone: 'bad',
    title: failure.title,
    text: lines(shop.rejections[rejection], shop.balance(balance)),
    buttons: [backButton(shop.button, options)],
  };
}

function backButton(label: string, options: ComponentOptions): ReplyButton {
  return { kind: 'action', label, action: 'cancel', options };
}

/** What the buyer gets, how many are left, and the required role. */
export function describeOffer({ item, left }: Offer, texts: Texts): Markup {
  const { shop } = texts;
  const { role, forMs, needsRole, codeCount } = item;
  const duration = forMs === null ? null : texts.duration(forMs);
  return joined(
    [
      role !== null ? shop.role(roleMention(role), duration) : codeCount !== null ? shop.code : shop.manual,
      left === null ? null : left === 0 ? shop.soldOut : shop.left(left),
      needsRole === null ? null : shop.requires(roleMention(needsRole)),
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
