import type { Catalogue } from './catalogue.ts';
import type { Language } from './language.ts';
import type { Markup } from './markup.ts';
import type { PartTexts } from './parts.ts';

/** The message with which members vote. */
export function votePanelTexts(
  messages: Catalogue['votePanel'],
  titleOf: Catalogue['canVote']['voteFor'],
  { locale, text }: Language,
  parts: PartTexts,
) {
  return {
    title: (name: Markup) => text(titleOf, { name }),
    reward: (credits: number) => text(messages.reward, { credits: parts.credits(credits) }),
    creditsButton: messages.creditsButton,
    /** The month of a time (ms since the epoch) in a time zone. Plain. */
    month: (at: number, timeZone: string) =>
      new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric', timeZone }).format(at),
    goneTitle: text(messages.goneTitle),
    gone: (channel: Markup) => text(messages.gone, { channel }),
  };
}
