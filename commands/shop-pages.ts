import type { Offer, StoredPurchase } from '../src/rewards/stored-purchase.ts';
import {
  bold,
  codeBlock,
  escapeName,
  joined,
  lines,
  type Markup,
  markup,
  plainName,
  roleMention,
  subtext,
  timestamp,
} from '../src/texts/markup.ts';
import type { Texts } from '../src/texts/texts.ts';
import type { Reply, ReplyButton } from './reply.ts';

/** Few enough for Discord's limits with the longest names. */
export const itemsPerPage = 10;

/** A page of the shop. `page` is counted from 1. */
export function renderShop(
  { balance, offers, page, pages }: { balance: number; offers: readonly Offer[]; page: number; pages: number },
  texts: Texts,
): Reply {
  const { shop } = texts;
  const own = shop.balance(balance);
  const purchases: ReplyButton = { kind: 'action', label: shop.purchases, action: 'purchases' };
  if (offers.length === 0) {
    return { tone: 'plain', title: shop.title, text: lines(shop.empty, own), buttons: [purchases] };
  }
  const shown = offers.slice((page - 1) * itemsPerPage, page * itemsPerPage);
  const choices = shown.map(({ item: { id, name, price } }) => ({
    label: plainName(name),
    value: id,
    description: shop.plainPrice(price),
  }));
  return {
    tone: 'plain',
    title: shop.title,
    text: joined([own, ...shown.map((offer) => renderItem(offer, texts))], '\n\n'),
    ...(pages === 1 ? {} : { footer: shop.page(page, pages) }),
    selects: [{ kind: 'choices', choices, placeholder: shop.choose, action: 'choose' }],
    buttons: [...(pages === 1 ? [] : pageButtons(page, pages, texts)), purchases],
  };
}

/** An item of a list: its name and price, and what it is. */
function renderItem(offer: Offer, texts: Texts): Markup {
  const { name, price } = offer.item;
  const title = markup`${bold(escapeName(name))} · ${texts.shop.price(price)}`;
  return lines(title, subtext(describeOffer(offer, texts)));
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

function pageButtons(page: number, pages: number, { shop }: Texts): ReplyButton[] {
  const button = (label: string, target: number): ReplyButton => ({
    kind: 'page',
    label,
    disabled: target < 1 || target > pages,
    options: { page: target },
  });
  return [button(shop.previous, page - 1), button(shop.next, page + 1)];
}

/** A member's newest purchases, with their codes: nobody else sees the reply. */
export function renderPurchases(purchases: readonly StoredPurchase[], limit: number, { shop }: Texts): Reply {
  const { title, none, newest, states } = shop.history;
  if (purchases.length === 0) return { tone: 'plain', title, text: none };
  const shown = purchases.map(({ name, price, at, state, code }) =>
    lines(
      joined([bold(escapeName(name)), shop.price(price), timestamp(at, 'f'), states[state]], ' · '),
      code === null ? null : codeBlock(code),
    ),
  );
  return { tone: 'plain', title, text: lines(...shown, purchases.length < limit ? null : newest(limit)) };
}
