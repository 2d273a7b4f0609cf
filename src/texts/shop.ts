import type { PurchaseRejection, PurchaseState } from '../rewards/purchase.ts';
import { creditCount } from './credit-count.ts';
import { bold, type Markup, markup, subtext } from './markup.ts';

const price = (credits: number, grouped: Markup) => (credits === 0 ? markup`free` : creditCount(credits, grouped));

/** Why an item is not sold, by the rejection. */
const shopRejections: Readonly<Record<PurchaseRejection, Markup>> = {
  unknown_item: markup`This item is no longer in the shop.`,
  price_changed: markup`The price has changed. Please look at the item again.`,
  role_required: markup`You do not have the role that this item requires.`,
  already_owned: markup`You have this role already, without an end.`,
  no_channel: markup`This item cannot be bought at the moment; the operators of this bot need to set the owner's channel.`,
  sold_out: markup`This item is sold out.`,
  overdrawn: markup`You do not have enough credits.`,
};

/** The texts of the shop, in English. Formatted numbers of credits are `grouped`; they come with the number, which decides between singular and plural. */
export const shop = {
  description: 'Buy something with your credits.',
  title: markup`Shop`,
  empty: markup`There is nothing to buy here.`,
  button: 'Shop',
  buy: 'Buy',
  confirm: 'Confirm',
  cancel: 'Cancel',
  previous: 'Previous',
  next: 'Next',
  done: 'Done',
  refund: 'Refund',
  purchases: 'My purchases',
  choose: 'Choose an item',
  page: (number: string, of: string) => `page ${number} of ${of}`,
  balance: (credits: number, grouped: Markup) => markup`Your balance: ${creditCount(credits, grouped)}`,
  price,
  /** For a choice of the select. */
  plainPrice: (credits: number, grouped: string) =>
    credits === 0 ? 'free' : `${grouped} ${credits === 1 ? 'credit' : 'credits'}`,
  left: (grouped: Markup) => markup`${grouped} left`,
  soldOut: markup`sold out`,
  role: (role: Markup, duration: Markup | null) =>
    duration === null ? markup`role ${role}` : markup`role ${role} for ${duration}`,
  code: markup`a code`,
  manual: markup`fulfilled by the team`,
  requires: (role: Markup) => markup`only with ${role}`,
  rejections: shopRejections,
  confirmation: {
    title: markup`Buy this?`,
    item: (name: Markup, cost: Markup) => markup`${bold(name)}: ${cost}`,
    balance: (before: Markup, after: Markup) => markup`Your balance: ${bold(before)} → ${bold(after)}`,
    role: (role: Markup, until: Markup | null) =>
      until === null ? markup`You get the role ${role}.` : markup`You get the role ${role} until ${until}.`,
    code: markup`You get a code that only you can see.`,
    manual: markup`The team of this server is informed, and fulfils it by hand.`,
  },
  receipt: {
    title: markup`Thank you!`,
    refundedTitle: markup`Refunded`,
    bought: (name: Markup, cost: Markup) => markup`You bought ${bold(name)} (${cost}).`,
    role: (role: Markup, until: Markup | null) =>
      until === null ? markup`The role ${role} is yours.` : markup`The role ${role} is yours until ${until}.`,
    /** Discord has not given it yet. */
    roleSoon: markup`It takes a moment until Discord shows it. If Discord refuses, you get your credits back.`,
    code: markup`Your code, which is only yours:`,
    manual: markup`The team has been informed. You get a direct message when it is done.`,
    fulfilled: markup`It is done.`,
    refunded: markup`You got your credits back.`,
    balance: (credits: number, grouped: Markup) => markup`Your new balance: ${creditCount(credits, grouped)}`,
  },
  history: {
    title: markup`Your purchases`,
    none: markup`You have not bought anything yet.`,
    newest: (count: Markup) => subtext(markup`The newest ${count} are shown.`),
    states: {
      confirmed: markup`paid, not fulfilled yet`,
      fulfilled: markup`fulfilled`,
      refunded: markup`refunded`,
    } satisfies Record<PurchaseState, Markup>,
    line: (name: Markup, cost: Markup, at: Markup, state: Markup) => markup`${bold(name)} · ${cost} · ${at} · ${state}`,
  },
  report: {
    title: (id: Markup) => markup`Purchase ${id}`,
    text: (user: Markup, name: Markup, cost: Markup) => markup`${user} bought ${bold(name)} (${cost}).`,
    todo: markup`Press Done when the buyer has it. The buyer gets a direct message.`,
    refundedRole: markup`Discord did not give the role, so the price was refunded, and the item is in stock again.`,
    settled: {
      fulfilled: (manager: Markup) => markup`Done, by ${manager}.`,
      refunded: (manager: Markup) => markup`Refunded, by ${manager}.`,
    },
    settledBefore: {
      fulfilled: markup`This purchase is done already.`,
      refunded: markup`This purchase was refunded already.`,
      confirmed: markup`This purchase is not fulfilled yet.`,
    } satisfies Record<PurchaseState, Markup>,
  },
  message: {
    fulfilledTitle: markup`Your purchase is done`,
    fulfilled: (name: Markup) => markup`${bold(name)} is yours now.`,
    refundedTitle: markup`Your purchase was refunded`,
    refunded: (name: Markup, cost: Markup) =>
      markup`${bold(name)} could not be delivered. You got the price back: ${cost}.`,
  },
};
