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
  mention,
  roleMention,
  subtext,
  timestamp,
} from '@tallyhook/platform/texts/markup';
import {
  type CommandInput,
  errorReply,
  InputError,
  integerOption,
  pageButtons,
} from '../src/discord/commands/command.ts';
import type { OptionValue, Panel, PanelBlock, Reply, ReplyButton } from '../src/discord/commands/reply.ts';
import type { CoveredCommunity } from '../src/features/communities/listings.ts';
import { type PurchaseRejection, priceText, type ShopVisitor } from '../src/features/shop/purchase.ts';
import { shop as items } from '../src/features/shop/settings.ts';
import type { Offer, StoredPurchase } from '../src/features/shop/store.ts';
import type { Texts } from '../src/texts/texts.ts';
import type { Command, CommandContext } from './context.ts';
import { chosenCommunity, communityChoice } from './listing.ts';

/** Few enough for Discord's limits with the longest names and codes. */
const shownPurchases = 5;

/**
 * Items for credits. A member presses Buy beside an item, and confirms the purchase; the id of the interaction that shows the
 * confirmation is in the button, so that one confirmation is one purchase.
 */
export const shop = {
  name: 'shop',
  visibility: 'private',
  hasPages: true,
  actions: ['open', 'buy', 'confirm', 'cancel', 'purchases', 'done', 'refund', 'community'],
  offers: [
    { place: 'account', action: 'open', label: ({ text }) => text('credits.shopButton') },
    { place: 'panel', action: 'open', label: ({ text }) => text('credits.shopButton') },
  ],
  availability: 'everywhere',
  leadsToDirectMessages: true,
  needs: items.path,
  describe: ({ texts }) => ({ description: texts.text('shop.description'), options: [] }),
  async execute(input, context) {
    switch (input.action) {
      case 'buy':
      case 'confirm':
      case 'cancel':
      case 'community':
        return updating(await visit(input, context));
      case 'done':
      case 'refund':
        return settlePurchase(input, input.action === 'done' ? 'fulfilled' : 'refunded', context);
      default:
        return visit(input, context);
    }
  },
} as const satisfies Command;

/** In direct messages, of several shops first the choice of one. */
async function visit(input: CommandInput, context: CommandContext): Promise<Reply | Panel> {
  const { texts } = context;
  const options = input.action === 'confirm' ? unpackConfirmation(input.options) : input.options;
  const selected = input.action === 'community' ? (input.values[0] ?? '') : options['community'];
  const chosen = chosenCommunity(selected, context);
  if (chosen === null) return communityChoice({ title: texts.text('shop.title') }, context);
  const visitor = visitorOf(input, chosen.community);
  const shop: OpenShop = { visitor, options: chosen.options, context };
  switch (input.action) {
    case 'buy':
      return showItem(shop, String(options['item'] ?? ''), input.interactionId);
    case 'confirm':
      return confirm(shop, options);
    case 'purchases':
      return renderPurchases(await context.shop.purchasesOf(visitor, shownPurchases), shownPurchases, texts);
    default:
      return showPage(shop, input);
  }
}

interface OpenShop {
  readonly visitor: ShopVisitor;
  /** That name the community in the components, if there are several. */
  readonly options: ComponentOptions;
  readonly context: CommandContext;
}

/** The roles of another guild say nothing. */
function visitorOf({ userId, guildId, roles }: CommandInput, community: CoveredCommunity | null): ShopVisitor {
  if (community === null) return { userId, guildId, roles };
  return { userId, guildId: community.guildId, roles: community.guildId === guildId ? roles : null };
}

function updating<Shown extends Reply | Panel>(reply: Shown): Shown {
  return { ...reply, response: 'update' };
}

/**
 * An item, or the confirmation of its purchase if it can be bought.
 * @param confirmationId the id of the interaction that is answered with the confirmation; null shows the item
 */
async function showItem(
  { visitor, options, context }: OpenShop,
  itemId: string,
  confirmationId: string | null,
): Promise<Reply> {
  const { shop, texts } = context;
  const { balance, offers } = await shop.offers(visitor);
  const offer = offers.find(({ item }) => item.id === itemId);
  if (offer === undefined) return renderRejection('unknown_item', balance, options, texts);
  if (offer.rejection !== null || confirmationId === null) return renderOffer(offer, balance, options, texts);
  return renderConfirmation(offer, balance, { confirmationId, options }, texts);
}

async function confirm(open: OpenShop, confirmed: ComponentOptions): Promise<Reply> {
  const { visitor, options, context } = open;
  const { shop, texts } = context;
  const { item = '', price = '', id = '' } = confirmed;
  const confirmation = { itemId: String(item), price: Number(price), confirmationId: String(id) };
  const result = await shop.confirm(visitor, confirmation);
  switch (result.outcome) {
    case 'purchased':
      return renderReceipt(result.purchase, options, texts);
    case 'rejected':
      if (result.rejection === 'role_required') return showItem(open, confirmation.itemId, null);
      return renderRejection(result.rejection, result.balance, options, texts);
    case 'unavailable':
      // A message of its own: the button stays, and pressing it again is the same purchase.
      throw new InputError(texts.text('shop.notCharged'));
    case 'foreign':
      return errorReply(texts.text('failure.unknownButton'), texts);
  }
}

const settledBefore = {
  fulfilled: 'shop.report.fulfilledBefore',
  refunded: 'shop.report.refundedBefore',
  confirmed: 'shop.report.notFulfilled',
} as const;

/** Fulfils or refunds a purchase by the buttons of its report, which is replaced, so that every manager sees it. */
async function settlePurchase(
  input: CommandInput,
  state: 'fulfilled' | 'refunded',
  { shop, texts }: CommandContext,
): Promise<Reply> {
  const { text } = texts;
  if (!input.isManager) return errorReply(text('failure.managersOnly'), texts);
  const purchaseId = integerOption(input, 'purchase', { min: 0, max: Number.MAX_SAFE_INTEGER, fallback: 0 });
  const { channelId, userId: manager } = input;
  const result = channelId === null ? null : await shop.settle({ purchaseId, state, channelId, manager });
  if (result === null) return errorReply(text('failure.unknownButton'), texts);
  const { purchase, settled } = result;
  return {
    tone: 'plain',
    title: text('shop.report.title', { id: purchase.id }),
    text: lines(
      text('shop.report.text', {
        user: mention(purchase.userId),
        name: escapeName(purchase.name),
        price: priceText(purchase.price, texts),
      }),
      settled ? text(`shop.report.${state}By`, { manager: mention(manager) }) : text(settledBefore[purchase.state]),
    ),
    at: purchase.at,
    response: settled ? 'update' : 'new',
  };
}

/** Few enough for Discord's limits with the longest names: an item counts as three of a message's 40 components. */
const itemsPerPage = 8;

async function showPage({ visitor, options, context }: OpenShop, input: CommandInput): Promise<Panel> {
  const { shop, texts } = context;
  const { balance, offers } = await shop.offers(visitor);
  const pages = Math.max(1, Math.ceil(offers.length / itemsPerPage));
  const page = integerOption(input, 'page', { min: 1, max: pages, fallback: 1 });
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

function renderItem(offer: Offer, options: ComponentOptions, texts: Texts): PanelBlock {
  const { text } = texts;
  const { id, name, price } = offer.item;
  const title = markup`${bold(escapeName(name))} · ${priceText(price, texts)}`;
  const isReady = offer.rejection !== 'not_ready';
  return {
    kind: 'section',
    text: lines(title, subtext(isReady ? describeOffer(offer, texts) : text('shop.rejections.not_ready'))),
    // Whatever else prevents the purchase is explained when the button is pressed.
    button: buyButton(text('shop.buy'), { ...options, item: id }, offer.left === 0 || !isReady),
  };
}

/** A member's newest purchases, with their codes: nobody else sees the reply. */
function renderPurchases(purchases: readonly StoredPurchase[], limit: number, texts: Texts): Reply {
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

type ComponentOptions = Readonly<Record<string, OptionValue>>;

function renderOffer(offer: Offer, balance: number, options: ComponentOptions, texts: Texts): Reply {
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
      buyButton(text('shop.buy'), { ...options, item: item.id }, disabled),
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
function renderConfirmation(
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

function renderReceipt(purchase: StoredPurchase, options: ComponentOptions, texts: Texts): Reply {
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

function renderRejection(
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

function buyButton(label: string, options: ComponentOptions, disabled: boolean): ReplyButton {
  return { kind: 'action', label, style: 'primary', action: 'buy', options, disabled };
}

function backButton(label: string, options: ComponentOptions): ReplyButton {
  return { kind: 'action', label, action: 'cancel', options };
}

function describeOffer({ item, left }: Offer, texts: Texts): Markup {
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

/**
 * The options of the button that confirms a purchase. With a community they are packed, because the id of a button has
 * at most 100 characters.
 * @param confirmation an item by its id of at most 32 characters, its price (credits), and the id of an interaction
 * @param options `community`, or none if there is only one
 */
export function packConfirmation(
  confirmation: { readonly item: string; readonly price: number; readonly id: string },
  { community }: ComponentOptions,
): ComponentOptions {
  const { item, price, id } = confirmation;
  if (community === undefined) return { item, price, id };
  return { i: item, p: price, n: pack(id), c: pack(String(community)) };
}

/** The options as they were before {@link packConfirmation}. They can be forged. */
function unpackConfirmation(options: ComponentOptions): ComponentOptions {
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
