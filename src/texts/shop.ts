import type { Catalogue } from './catalogues.ts';
import type { Language } from './language.ts';
import { type Markup, subtext } from './markup.ts';
import type { PartTexts } from './parts.ts';

/** The texts of the shop. `price` and `balance` are credits. */
export function shopTexts(messages: Catalogue['shop'], language: Language, parts: PartTexts) {
  const { text, texts, count, number } = language;
  const { confirmation, receipt, history, report, message } = messages;
  const fixed = texts(messages);
  const price = (credits: number) => (credits === 0 ? fixed.free : parts.credits(credits));
  return {
    ...fixed,
    page: parts.page,
    balance: (credits: number) => text(messages.balance, { credits: parts.credits(credits) }),
    price,
    left: (items: number) => count(messages.left, items),
    /** `duration` is null for a role that stays. */
    role: (role: Markup, duration: Markup | null) =>
      duration === null ? text(messages.role, { role }) : text(messages.roleFor, { role, duration }),
    requires: (role: Markup) => text(messages.requires, { role }),
    roleRequired: (role: Markup) => text(messages.rejections.role_required, { role }),
    confirmation: {
      ...fixed.confirmation,
      item: (name: Markup, cost: number) => text(confirmation.item, { name, price: price(cost) }),
      balance: (before: number, after: number) =>
        text(confirmation.balance, { before: number(before), after: number(after) }),
      role: (role: Markup, until: Markup | null) =>
        until === null ? text(confirmation.role, { role }) : text(confirmation.roleUntil, { role, time: until }),
    },
    receipt: {
      ...fixed.receipt,
      bought: (name: Markup, cost: number) => text(receipt.bought, { name, price: price(cost) }),
      role: (role: Markup, until: Markup | null) =>
        until === null ? text(receipt.role, { role }) : text(receipt.roleUntil, { role, time: until }),
      balance: (credits: number) => text(receipt.balance, { credits: parts.credits(credits) }),
    },
    history: {
      ...fixed.history,
      newest: (purchasesShown: number) => subtext(count(history.newest, purchasesShown)),
    },
    report: {
      ...fixed.report,
      title: (id: number) => text(report.title, { id: number(id) }),
      unready: (name: Markup) => text(report.unready, { name }),
      text: (user: Markup, name: Markup, cost: number) => text(report.text, { user, name, price: price(cost) }),
      /** The buyer was forgotten. */
      closed: (name: Markup, cost: number) => text(report.closed, { name, price: price(cost) }),
      settled: {
        fulfilled: (manager: Markup) => text(report.fulfilledBy, { manager }),
        refunded: (manager: Markup) => text(report.refundedBy, { manager }),
      },
      settledBefore: {
        fulfilled: fixed.report.fulfilledBefore,
        refunded: fixed.report.refundedBefore,
        confirmed: fixed.report.notFulfilled,
      } satisfies Record<keyof typeof history.states, Markup>,
    },
    message: {
      ...fixed.message,
      fulfilled: (name: Markup) => text(message.fulfilled, { name }),
      refunded: (name: Markup, cost: number) => text(message.refunded, { name, price: price(cost) }),
    },
  };
}
