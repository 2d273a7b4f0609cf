import type { Catalogue } from './catalogue.ts';
import type { Language } from './language.ts';
import type { Markup } from './markup.ts';

export function traceTexts(messages: Catalogue['trace'], { text, texts }: Language) {
  const { description, userOption } = messages;
  return {
    ...{ description, userOption },
    title: text(messages.title),
    of: (user: Markup) => text(messages.of, { user }),
    nothing: (user: Markup) => text(messages.nothing, { user }),
    delivery: (id: Markup) => text(messages.delivery, { id }),
    entries: text(messages.entries),
    roles: text(messages.roles),
    until: (time: Markup) => text(messages.until, { time }),
    roleStates: texts(messages.roleStates),
  };
}
