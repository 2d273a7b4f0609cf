import { packSnowflake, unpackSnowflake } from '@tallyhook/platform/packed-snowflake';
import { isSnowflake } from '@tallyhook/platform/snowflake';
import {
  bold,
  codeBlock,
  escapeName,
  escapeText,
  joined,
  lines,
  type Markup,
  markup,
  mention,
  roleMention,
  subtext,
  timestamp,
  trustedMarkup,
} from '@tallyhook/platform/texts/markup';
import { plainName } from '@tallyhook/platform/truncate';
import {
  type CommandInput,
  errorReply,
  InputError,
  integerOption,
  memberOption,
  pageButtons,
} from '../src/discord/commands/command.ts';
import type { OptionValue, Panel, PanelBlock, Reply, ReplyButton, ReplySelect } from '../src/discord/commands/reply.ts';
import type { CoveredCommunity } from '../src/features/communities/listings.ts';
import { reportText } from '../src/features/shop/parts.ts';
import {
  maxDescriptionLength,
  type PurchaseRejection,
  priceText,
  type ShopMember,
  type ShopVisitor,
} from '../src/features/shop/purchase.ts';
import { shop as items } from '../src/features/shop/settings.ts';
import type { Offer, StoredPurchase } from '../src/features/shop/store.ts';
import type { Texts } from '../src/texts/texts.ts';
import type { Command, CommandContext } from './context.ts';
import { chosenCommunity, communityChoice } from './listing.ts';

/** The longest description with every character escaped. */
const maxEscapedLength = 2 * maxDescriptionLength;
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
  actions: ['open', 'buy', 'for', 'confirm', 'cancel', 'purchases', 'done', 'refund', 'community'],
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
      case 'for':
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
  const isInGuild = visitor.guildId !== null && visitor.guildId === input.guildId;
  const shop: OpenShop = { visitor, options: chosen.options, isInGuild, context };
  switch (input.action) {
    case 'buy':
      return showItem(shop, String(options['item'] ?? ''), input.interactionId);
    case 'for':
      return showItem(shop, String(options['item'] ?? ''), input.interactionId, receiverOf(input, texts));
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
  /** Options that name the community in the components, if there are several. */
  readonly options: ComponentOptions;
  /** Members of a guild can only be chosen there. */
  readonly isInGuild: boolean;
  readonly context: CommandContext;
}

/** Where an item is shown, and to whom it would be given. */
interface ItemPlace {
  readonly balance: number;
  readonly options: ComponentOptions;
  /** Null for the buyer. */
  readonly receiverId: string | null;
  readonly mayGive: boolean;
}

/** A code is shown to its buyer, who can pass it on. */
function isGivable({ item }: Offer): boolean {
  return item.codeCount === null;
}

/** The roles of another guild say nothing. */
function visitorOf({ userId, guildId, roles }: CommandInput, community: CoveredCommunity | null): ShopVisitor {
  if (community === null) return { userId, guildId, roles };
  return { userId, guildId: community.guildId, roles: community.guildId === guildId ? roles : null };
}

/**
 * The member who was chosen, with the roles in the guild; null for the buyer.
 * @throws InputError for a bot, and for somebody who is not a member
 */
function receiverOf(input: CommandInput, texts: Texts): ShopMember | null {
  const { values, resolved, userId } = input;
  const [chosen = ''] = values;
  if (chosen === userId) return null;
  const receiverId = memberOption({ ...input, options: { user: chosen } }, 'user', '', texts);
  const roles = resolved.users[receiverId]?.roles;
  if (!roles) throw new InputError(texts.text('gift.notMember', { user: mention(receiverId) }));
  return { userId: receiverId, roles };
}

function updating<Shown extends Reply | Panel>(reply: Shown): Shown {
  return { ...reply, response: 'update' };
}

/**
 * An item, or the confirmation of its purchase if it can be bought.
 * @param confirmationId the id of the interaction that is answered with the confirmation; null shows the item
 * @param receiver to whom it is given; by default the buyer gets it
 */
async function showItem(
  { visitor, options, isInGuild, context }: OpenShop,
  itemId: string,
  confirmationId: string | null,
  receiver: ShopMember | null = null,
): Promise<Reply> {
  const { shop, texts } = context;
  const { balance, offers } = await shop.offers(visitor, receiver);
  const offer = offers.find(({ item }) => item.id === itemId);
  if (offer === undefined) return renderRejection('unknown_item', balance, options, texts);
  const place = { balance, options, receiverId: receiver?.userId ?? null, mayGive: isInGuild && isGivable(offer) };
  if (offer.rejection !== null || confirmationId === null) return renderOffer(offer, place, texts);
  return renderConfirmation(offer, { ...place, confirmationId }, texts);
}

async function confirm(open: OpenShop, confirmed: ComponentOptions): Promise<Reply> {
  const { visitor, options, context } = open;
  const { shop, texts } = context;
  const { item = '', price = '', id = '', for: receiver } = confirmed;
  const receiverId = isSnowflake(receiver) && receiver !== visitor.userId ? receiver : null;
  const confirmation = { itemId: String(item), price: Number(price), confirmationId: String(id), receiverId };
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
      reportText(purchase, texts),
      settled ? text(`shop.report.${state}By`, { manager: mention(manager) }) : text(settledBefore[purchase.state]),
    ),
    at: purchase.at,
    response: settled ? 'update' : 'new',
  };
}

/**
 * Limits of a page, beside its title, balance and buttons. Discord: 40 components and 4,000 characters in a message; an
 * item counts as three components, and with a picture, below which its button is, as five.
 */
const maxComponents = 30;
const maxCharacters = 3_400;
const itemsPerPage = 8;

/** The items of each page; at least one page. */
function toPages(items: readonly (readonly PanelBlock[])[]): readonly (readonly PanelBlock[])[] {
  const pages: { blocks: PanelBlock[]; components: number; characters: number; count: number }[] = [];
  for (const blocks of items) {
    const components = blocks.length === 1 ? 3 : 5;
    const characters = blocks.reduce((sum, block) => sum + ('text' in block ? block.text.length : 0), 0);
    const last = pages.at(-1);
    const isFull =
      last === undefined ||
      last.count === itemsPerPage ||
      last.components + components > maxComponents ||
      last.characters + characters > maxCharacters;
    if (isFull) {
      pages.push({ blocks: [...blocks], components, characters, count: 1 });
      continue;
    }
    last.blocks.push(...blocks);
    last.components += components;
    last.characters += characters;
    last.count += 1;
  }
  return pages.length === 0 ? [[]] : pages.map(({ blocks }) => blocks);
}

/** True if the item is in the shop: what nobody can buy is not, unless it can come back by a refund. */
function isOffered({ rejection, isUsedUp }: Offer): boolean {
  return rejection !== 'not_ready' && rejection !== 'not_on_sale' && !isUsedUp;
}

async function showPage({ visitor, options, context }: OpenShop, input: CommandInput): Promise<Panel> {
  const { shop, texts } = context;
  const { balance, offers } = await shop.offers(visitor);
  const { text } = texts;
  const all = toPages(offers.filter(isOffered).map((offer) => renderItem(offer, { balance, options }, texts)));
  const page = integerOption(input, 'page', { min: 1, max: all.length, fallback: 1 });
  const shown = all[page - 1] ?? [];
  const purchases: ReplyButton = { kind: 'action', label: text('shop.purchases'), action: 'purchases', options };
  const balanceText = text('shop.balance', { credits: text('parts.credits', { count: balance }) });
  const pages = all.length;
  return {
    kind: 'panel',
    tone: 'plain',
    title: text('shop.title'),
    blocks: [
      { kind: 'text', text: shown.length === 0 ? lines(text('shop.empty'), balanceText) : balanceText },
      ...shown,
      {
        kind: 'buttons',
        buttons: [...(pages === 1 ? [] : pageButtons('shop', texts, { number: page, pages }, options)), purchases],
      },
    ],
    ...(pages === 1 ? {} : { footer: text('parts.page', { number: page, of: pages }) }),
  };
}

/** An item with its button, beside it or below a picture. */
function renderItem(
  offer: Offer,
  { balance, options }: Pick<ItemPlace, 'balance' | 'options'>,
  texts: Texts,
): readonly PanelBlock[] {
  const { id, price, description, picture, name } = offer.item;
  const title = markup`${titleOf(offer)} · ${priceText(price, texts)}`;
  const { rejection } = offer;
  // That it is sold out, or which role it needs, is among the details.
  const isDetail = rejection === null || rejection === 'sold_out' || rejection === 'role_required';
  const reason = isDetail ? null : describeRejection(rejection, offer, balance, texts);
  const text = lines(
    title,
    description === null ? null : escapeText(description, maxEscapedLength),
    subtext(describeOffer(offer, texts)),
    reason === null ? null : subtext(reason),
  );
  // Whatever else prevents the purchase is explained when the button is pressed.
  const button = buyButton(texts.text('shop.buy'), { ...options, item: id }, offer, offer.left === 0);
  if (picture === null) return [{ kind: 'section', text, button }];
  return [
    { kind: 'thumbnail', text, url: picture, description: plainName(name) },
    { kind: 'buttons', buttons: [button] },
  ];
}

/** The name of an item, with its emoji. */
function titleOf({ item: { name, emoji } }: Offer): Markup {
  const bolded = bold(escapeName(name));
  // Its form was checked: an emoji, or one of a server.
  return emoji === null ? bolded : markup`${trustedMarkup(emoji)} ${bolded}`;
}

/** A member's newest purchases, with their codes: nobody else sees the reply. */
function renderPurchases(purchases: readonly StoredPurchase[], limit: number, texts: Texts): Reply {
  const { text } = texts;

  if (purchases.length === 0)
    return { tone: 'plain', title: text('shop.history.title'), text: text('shop.history.none') };
  const shown = purchases.map(({ name, price, at, state, role, code, receiverId }) =>
    lines(
      joined(
        [
          bold(escapeName(name)),
          receiverId === null ? null : text('shop.history.receiver', { user: mention(receiverId) }),
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

function renderOffer(offer: Offer, place: ItemPlace, texts: Texts): Reply {
  const { text } = texts;
  const { balance, options, receiverId } = place;
  const { item, rejection } = offer;
  const disabled = rejection !== null;
  return {
    tone: disabled ? 'wait' : 'plain',
    ...looksOf(offer),
    text: lines(
      priceText(item.price, texts),
      item.description === null ? null : escapeText(item.description, maxEscapedLength),
      describeOffer(offer, texts),
      text('shop.balance', { credits: text('parts.credits', { count: balance }) }),
      rejection === 'already_owned' && receiverId !== null
        ? text('shop.rejections.receiver_owns', { user: mention(receiverId) })
        : rejection === null
          ? null
          : describeRejection(rejection, offer, balance, texts),
    ),
    selects: receiverSelect(offer, place, texts),
    buttons: [
      buyButton(text('shop.buy'), { ...options, item: item.id }, offer, disabled),
      backButton(text('shop.button'), options),
    ],
  };
}

function looksOf(offer: Offer): Pick<Reply, 'title' | 'thumbnail'> {
  const { name, picture } = offer.item;
  return {
    title: titleOf(offer),
    ...(picture !== null && { thumbnail: { url: picture, description: plainName(name) } }),
  };
}

/** The choice of a member to whom the item is given, unless something else than what they have prevents it. */
function receiverSelect(
  offer: Offer,
  { mayGive, options, receiverId }: ItemPlace,
  { text }: Texts,
): readonly ReplySelect[] {
  const isPrevented = offer.rejection !== null && offer.rejection !== 'already_owned';
  if (!mayGive || isPrevented) return [];
  return [
    {
      kind: 'users',
      action: 'for',
      options: { ...options, item: offer.item.id },
      placeholder: text('shop.receiverPlaceholder'),
      ...(receiverId !== null && { selected: [receiverId] }),
    },
  ];
}

function describeRejection(
  rejection: PurchaseRejection,
  { item }: Pick<Offer, 'item'>,
  balance: number,
  { text }: Texts,
): Markup {
  switch (rejection) {
    case 'role_required':
      return text('shop.rejections.role_required', { role: roleMention(item.needsRole ?? '') });
    case 'overdrawn':
      return joined(
        [
          text('shop.rejections.overdrawn'),
          text('shop.missing', { credits: text('parts.credits', { count: item.price - balance }) }),
        ],
        ' ',
      );
    default:
      return text(`shop.rejections.${rejection}`);
  }
}

/** @param place with the id of the interaction that is answered with this */
function renderConfirmation(offer: Offer, place: ItemPlace & { readonly confirmationId: string }, texts: Texts): Reply {
  const { text } = texts;
  const { balance, confirmationId, options: community, receiverId } = place;
  const { id, name, price, role, codeCount } = offer.item;
  const until = offer.until === null ? null : timestamp(offer.until, 'f');
  const confirmed = { item: id, price, id: confirmationId };
  const options = packConfirmation(receiverId === null ? confirmed : { ...confirmed, for: receiverId }, community);
  return {
    tone: 'plain',
    ...looksOf(offer),
    title: text('shop.confirmation.title'),
    text: lines(
      text('shop.confirmation.item', { name: escapeName(name), price: priceText(price, texts) }),
      text('shop.confirmation.balance', { before: balance, after: balance - price }),
      receiverId === null ? null : text('shop.confirmation.receiver', { user: mention(receiverId) }),
      role === null
        ? text(codeCount === null ? 'shop.confirmation.manual' : 'shop.confirmation.code')
        : receiverId !== null
          ? text('shop.confirmation.givenRole', { role: roleMention(role) })
          : until === null
            ? text('shop.confirmation.role', { role: roleMention(role) })
            : text('shop.confirmation.roleUntil', { role: roleMention(role), time: until }),
    ),
    selects: receiverSelect(offer, place, texts),
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
      purchase.receiverId === null ? null : text('shop.confirmation.receiver', { user: mention(purchase.receiverId) }),
      ...(isRefunded ? [text('shop.receipt.refunded')] : deliveryOf(purchase, texts)),
      isRefunded ? null : text('shop.receipt.balance', { credits: text('parts.credits', { count: balance }) }),
    ),
    buttons: [backButton(text('shop.button'), options)],
  };
}

function deliveryOf(
  { role, until, code, state, receiverId }: StoredPurchase,
  { text }: Texts,
): readonly (Markup | null)[] {
  const isOpen = state === 'confirmed';
  if (role !== null && receiverId !== null)
    return [
      text('shop.confirmation.givenRole', { role: roleMention(role) }),
      isOpen ? text('shop.receipt.roleSoon') : null,
    ];
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

/** The button of an item, grey where the member cannot buy it now. */
function buyButton(label: string, options: ComponentOptions, { rejection }: Offer, disabled: boolean): ReplyButton {
  const style = rejection === null ? 'primary' : 'secondary';
  return { kind: 'action', label, style, action: 'buy', options, disabled };
}

function backButton(label: string, options: ComponentOptions): ReplyButton {
  return { kind: 'action', label, action: 'cancel', options };
}

function describeOffer({ item, left }: Offer, texts: Texts): Markup {
  const { text } = texts;
  const { role, forMs, needsRole, codeCount, limit, until } = item;
  return joined(
    [
      role === null
        ? text(codeCount === null ? 'shop.manual' : 'shop.code')
        : forMs === null
          ? text('shop.role', { role: roleMention(role) })
          : text('shop.roleFor', { role: roleMention(role), duration: texts.duration(forMs) }),
      left === null ? null : left === 0 ? text('shop.soldOut') : text('shop.left', { count: left }),
      limit === null ? null : text('shop.limit', { count: limit }),
      until === null ? null : text('shop.until', { time: timestamp(until, 'f') }),
      needsRole === null ? null : text('shop.requires', { role: roleMention(needsRole) }),
    ],
    ' · ',
  );
}

/**
 * The options of the button that confirms a purchase. With a community or a receiver they are packed, because the id of a button has
 * at most 100 characters.
 * @param confirmation an item by its id of at most 32 characters, its price (credits), the id of an interaction, and `for`,
 *   the member to whom it is given, who is chosen in a guild, where there is no choice of communities
 * @param options `community`, or none if there is only one
 */
export function packConfirmation(
  confirmation: { readonly item: string; readonly price: number; readonly id: string; readonly for?: string },
  { community }: ComponentOptions,
): ComponentOptions {
  const { item, price, id, for: receiver } = confirmation;
  if (community === undefined && receiver === undefined) return { item, price, id };
  return {
    ...{ i: item, p: price, n: pack(id) },
    ...(community !== undefined && { c: pack(String(community)) }),
    ...(receiver !== undefined && { r: pack(receiver) }),
  };
}

/** The options as they were before {@link packConfirmation}. They can be forged. */
function unpackConfirmation(options: ComponentOptions): ComponentOptions {
  const { i, p, n, c, r } = options;
  if (c === undefined && r === undefined) return options;
  return {
    ...{ item: i ?? '', price: p ?? '', id: unpack(String(n)) },
    ...(c !== undefined && { community: unpack(String(c)) }),
    ...(r !== undefined && { for: unpack(String(r)) }),
  };
}

/** Other texts than snowflakes are not changed: they are short. */
function pack(text: string): string {
  return isSnowflake(text) ? packSnowflake(text) : text;
}

function unpack(text: string): string {
  return unpackSnowflake(text) ?? text;
}
