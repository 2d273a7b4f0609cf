import type { Catalogue } from './catalogue.ts';
import type { Language } from './language.ts';
import { bold, type Markup, subtext } from './markup.ts';
import type { PartTexts } from './parts.ts';

/** The texts of the shop. `price` and `balance` are credits. */
export function shopTexts(messages: Catalogue['shop'], language: Language, parts: PartTexts) {
  const { text, texts, count, number } = language;
  const { confirmation, receipt, history, report, message } = messages;
  const { description, button, buy, confirm, cancel, previous, next, done, refund, purchases } = messages;
  const { role_required: roleRequired, ...otherRejections } = messages.rejections;
  const price = (credits: number) => (credits === 0 ? text(messages.free) : parts.credits(credits));
  return {
    description,
    button,
    buy,
    confirm,
    cancel,
    previous,
    next,
    done,
    refund,
    purchases,
    title: text(messages.title),
    empty: text(messages.empty),
    page: parts.page,
    balance: (credits: number) => text(messages.balance, { credits: parts.credits(credits) }),
    price,
    left: (items: number) => count(messages.left, items),
    soldOut: text(messages.soldOut),
    /** `duration` is null for a role that stays. */
    role: (role: Markup, duration: Markup | null) =>
      duration === null ? text(messages.role, { role }) : text(messages.roleFor, { role, duration }),
    code: text(messages.code),
    manual: text(messages.manual),
    requires: (role: Markup) => text(messages.requires, { role }),
    rejections: texts(otherRejections),
    roleRequired: (role: Markup) => text(roleRequired, { role }),
    notCharged: text(messages.notCharged),
    confirmation: {
      title: text(confirmation.title),
      item: (name: Markup, cost: number) => text(confirmation.item, { name: bold(name), price: price(cost) }),
      balance: (before: number, after: number) =>
        text(confirmation.balance, { before: bold(number(before)), after: bold(number(after)) }),
      role: (role: Markup, until: Markup | null) =>
        until === null ? text(confirmation.role, { role }) : text(confirmation.roleUntil, { role, time: until }),
      code: text(confirmation.code),
      manual: text(confirmation.manual),
    },
    receipt: {
      title: text(receipt.title),
      refundedTitle: text(receipt.refundedTitle),
      bought: (name: Markup, cost: number) => text(receipt.bought, { name: bold(name), price: price(cost) }),
      role: (role: Markup, until: Markup | null) =>
        until === null ? text(receipt.role, { role }) : text(receipt.roleUntil, { role, time: until }),
      /** Discord has not given it yet. */
      roleSoon: text(receipt.roleSoon),
      code: text(receipt.code),
      manual: text(receipt.manual),
      fulfilled: text(receipt.fulfilled),
      refunded: text(receipt.refunded),
      balance: (credits: number) => text(receipt.balance, { credits: parts.credits(credits) }),
    },
    history: {
      title: text(history.title),
      none: text(history.none),
      newest: (purchasesShown: number) => subtext(count(history.newest, purchasesShown)),
      states: texts(history.states),
      rolePending: text(history.rolePending),
    },
    report: {
      title: (id: number) => text(report.title, { id: number(id) }),
      text: (user: Markup, name: Markup, cost: number) =>
        text(report.text, { user, name: bold(name), price: price(cost) }),
      todo: text(report.todo),
      refundedRole: text(report.refundedRole),
      /** The buyer was forgotten. */
      closed: (name: Markup, cost: number) => text(report.closed, { name: bold(name), price: price(cost) }),
      settled: {
        fulfilled: (manager: Markup) => text(report.fulfilledBy, { manager }),
        refunded: (manager: Markup) => text(report.refundedBy, { manager }),
      },
      settledBefore: {
        fulfilled: text(report.fulfilledBefore),
        refunded: text(report.refundedBefore),
        confirmed: text(report.notFulfilled),
      } satisfies Record<keyof typeof history.states, Markup>,
    },
    message: {
      fulfilledTitle: text(message.fulfilledTitle),
      fulfilled: (name: Markup) => text(message.fulfilled, { name: bold(name) }),
      refundedTitle: text(message.refundedTitle),
      refunded: (name: Markup, cost: number) => text(message.refunded, { name: bold(name), price: price(cost) }),
    },
  };
}
