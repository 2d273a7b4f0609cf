import type { Catalogue } from './catalogue.ts';
import type { Language } from './language.ts';
import type { Markup } from './markup.ts';
import type { PartTexts } from './parts.ts';

export function awardTexts(messages: Catalogue['award'], { text, number }: Language, parts: PartTexts) {
  const { description, userOption, creditsOption, reasonOption } = messages;
  return {
    description,
    userOption,
    creditsOption,
    reasonOption,
    title: text(messages.title),
    /** `credits` is negative if they were subtracted. */
    corrected: (user: Markup, credits: number) =>
      text(credits > 0 ? messages.received : messages.lost, { user, credits: parts.credits(Math.abs(credits)) }),
    reason: (reason: Markup) => text(messages.reason, { reason }),
    balance: (credits: number) => text(messages.balance, { credits: parts.credits(credits) }),
    overdrawn: (user: Markup, credits: number) => text(messages.overdrawn, { user, credits: parts.credits(credits) }),
    invalid: (max: number) => text(messages.invalid, { max: number(max) }),
  };
}
