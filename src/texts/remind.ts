import type { Catalogue } from './catalogue.ts';
import type { Language } from './language.ts';
import { bold, type Markup, subtext } from './markup.ts';

/** The texts of `/remind`, its buttons and the reminder itself. `name` is that of a listing. */
export function remindTexts(messages: Catalogue['remind'], { text }: Language) {
  const { description, stateOption, states, button, snoozeButtons, stopButton } = messages;
  return {
    description,
    stateOption,
    states,
    button,
    snoozeButtons,
    stopButton,
    titleOn: text(messages.titleOn),
    titleOff: text(messages.titleOff),
    titleSnoozed: text(messages.titleSnoozed),
    titleVoted: text(messages.titleVoted),
    now: (name: Markup) => text(messages.now, { name: bold(name) }),
    next: (name: Markup, time: Markup) => text(messages.next, { name: bold(name), time }),
    afterVotes: subtext(text(messages.afterVotes)),
    off: (command: Markup) => text(messages.off, { command }),
    /** Why the bot has switched them off. */
    stopped: {
      direct_messages_closed: (command: Markup) => text(messages.directMessagesClosed, { command }),
    },
    message: {
      title: text(messages.messageTitle),
      text: (name: Markup) => text(messages.message, { name: bold(name) }),
    },
  };
}
