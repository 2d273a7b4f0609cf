import type { Catalogue } from './catalogues.ts';
import type { Language } from './language.ts';
import { type Markup, markup, timestamp } from './markup.ts';

/** The message about a community that has removed the bot. */
export function departureTexts(messages: Catalogue['departure'], { text }: Language) {
  return {
    title: text(messages.title),
    titleSoon: text(messages.titleSoon),
    /** @param at when its data will be deleted (ms since the epoch) */
    text: (name: Markup, at: number) => text(messages.text, { name, time: timestamp(at, 'R') }),
    keep: (guildId: Markup) => text(messages.keep, { command: markup`\`${exportCommand(guildId)}\`` }),
  };
}

/** What saves the settings of a community; it identifies the message. */
export function exportCommand(guildId: Markup): Markup {
  return markup`tallyhook settings export ${guildId}`;
}
