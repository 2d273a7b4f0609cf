import type { Catalogue } from './catalogue.ts';
import type { Language } from './language.ts';
import { bold, joined, type Markup, markup, trustedMarkup } from './markup.ts';
import type { PartTexts } from './parts.ts';

/** The causes of entries. */
type EntryCause = keyof Catalogue['credits']['causes'];

export function traceTexts(
  messages: Catalogue['trace'],
  causes: Catalogue['credits']['causes'],
  language: Language,
  parts: PartTexts,
) {
  const { text, texts, count } = language;
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
    delivery: (id: Markup) => text(messages.delivery, { id }),
    /** `name` is null for an unknown listing. */
    received: (name: Markup | null) =>
      name === null ? text(messages.receivedForNone) : text(messages.received, { name: bold(name) }),
    entry,
    recorded: (cause: EntryCause, credits: number, reason: Markup | null) =>
      text(messages.recorded, { entry: entry(text(causes[cause]), credits, reason) }),
    ended: text(messages.ended),
    withinCooldown: text(messages.withinCooldown),
    revoked: text(messages.revoked),
    /** `original` is null if it is unknown. */
    duplicate: (original: number | null) =>
      original === null
        ? text(messages.duplicate)
        : text(messages.duplicateOf, { id: trustedMarkup(String(original)) }),
    test: text(messages.test),
    aheadOfTime: text(messages.aheadOfTime),
    unconfirmed: text(messages.unconfirmed),
    ignored: text(messages.ignored),
    quarantined: (reason: Markup) => text(messages.quarantined, { reason }),
    effects: {
      done: (kind: string, attempts: number) => count(messages.done, attempts, { effect: nameOf(kind) }),
      waiting: (kind: string) => text(messages.waiting, { effect: nameOf(kind) }),
      retried: (kind: string, reason: Markup) => text(messages.retried, { effect: nameOf(kind), reason }),
      failed: (kind: string, reason: Markup) => text(messages.failed, { effect: nameOf(kind), reason }),
    },
    notAnnounced: text(messages.notAnnounced),
    entries: text(messages.entries),
    roles: text(messages.roles),
    until: (time: Markup) => text(messages.until, { time }),
    roleStates: texts(messages.roleStates),
  };
}
