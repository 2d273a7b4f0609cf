import type { Catalogue } from './catalogue.ts';
import type { Language } from './language.ts';
import { joined, type Markup, markup } from './markup.ts';
import type { PartTexts } from './parts.ts';

export function traceTexts(messages: Catalogue['trace'], { text, texts }: Language, parts: PartTexts) {
  const { description, userOption } = messages;
  const effects: Readonly<Record<string, Markup>> = texts(messages.effects);
  const nameOf = (kind: string) =>
    (Object.hasOwn(effects, kind) ? effects[kind] : undefined) ?? text(messages.effects.unknown);
  const entry = (cause: Markup, credits: number, reason: Markup | null) => {
    const paid = credits > 0 ? markup`+${parts.credits(credits)}` : parts.credits(credits);
    const explained = reason === null ? null : markup`(${reason})`;
    return joined([text(messages.entry, { cause, credits: paid }), explained], ' ');
  };
  return {
    description,
    userOption,
    title: text(messages.title),
    of: (user: Markup) => text(messages.of, { user }),
    nothing: (user: Markup) => text(messages.nothing, { user }),
    unknownListing: text(messages.unknownListing),
    entry,
    ended: text(messages.ended),
    duplicate: text(messages.duplicate),
    test: text(messages.test),
    aheadOfTime: text(messages.aheadOfTime),
    unconfirmed: text(messages.unconfirmed),
    ignored: text(messages.ignored),
    announced: text(messages.announced),
    quarantined: (reason: Markup) => text(messages.quarantined, { reason }),
    effects: {
      waiting: (kind: string) => text(messages.waiting, { effect: nameOf(kind) }),
      retried: (kind: string, reason: Markup) => text(messages.retried, { effect: nameOf(kind), reason }),
      failed: (kind: string, reason: Markup) => text(messages.failed, { effect: nameOf(kind), reason }),
    },
    entries: text(messages.entries),
    roles: text(messages.roles),
    until: (time: Markup) => text(messages.until, { time }),
    roleStates: texts(messages.roleStates),
  };
}
