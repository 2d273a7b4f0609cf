import type { Catalogue } from './catalogue.ts';
import type { Language } from './language.ts';
import type { Markup } from './markup.ts';
import type { PartTexts } from './parts.ts';

export function awardTexts(messages: Catalogue['award'], { text, number, signed }: Language, parts: PartTexts) {
  const { description, userOption, creditsOption, reasonOption } = messages;
  return {
    description,
    userOption,
    creditsOption,
    reasonOption,
    title: text(messages.title),
    /** `change` is negative if credits were subtracted. */
    result: (user: Markup, credits: number, change: number) =>
      text(messages.result, { user, credits: parts.credits(credits), change: signed(change) }),
    reason: (reason: Markup) => text(messages.reason, { reason }),
    overdrawn: (user: Markup, credits: number) => text(messages.overdrawn, { user, credits: parts.credits(credits) }),
    invalid: (max: number) => text(messages.invalid, { max: number(max) }),
  };
}
