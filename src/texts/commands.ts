import type { Catalogue } from './catalogues.ts';
import type { Language } from './language.ts';
import { joined, type Markup, markup, subtext } from './markup.ts';
import type { PartTexts } from './parts.ts';

export function awardTexts(messages: Catalogue['award'], language: Language, parts: PartTexts) {
  const { text, texts, number, signed } = language;
  return {
    ...texts(messages),
    /** `change` is negative if credits were subtracted. */
    result: (user: Markup, credits: number, change: number) =>
      text(messages.result, { user, credits: parts.credits(credits), change: signed(change) }),
    reason: (reason: Markup) => text(messages.reason, { reason }),
    overdrawn: (user: Markup, credits: number) => text(messages.overdrawn, { user, credits: parts.credits(credits) }),
    invalid: (max: number) => text(messages.invalid, { max: number(max) }),
  };
}

export function claimTexts(messages: Catalogue['claim'], { text, texts }: Language, parts: PartTexts) {
  return {
    ...texts(messages),
    claimed: (name: Markup, time: Markup) => text(messages.claimed, { name, time }),
    recorded: (name: Markup, time: Markup) => text(messages.recorded, { name, time }),
    paid: (credits: number) => text(messages.paid, { credits: parts.credits(credits) }),
    /** `reason`: that of the service; empty for none. */
    denied: (reason: Markup) => (reason === '' ? text(messages.denied) : text(messages.deniedBecause, { reason })),
    withinCooldown: (name: Markup, time: Markup, recorded: Markup) =>
      text(messages.withinCooldown, { name, time, recorded }),
    noVote: (name: Markup) => text(messages.noVote, { name }),
    tooOld: (name: Markup, time: Markup, since: Markup) => text(messages.tooOld, { name, time, since }),
    siteSilent: (site: Markup, name: Markup) => text(messages.siteSilent, { site, name }),
    unknownTime: (name: Markup) => text(messages.unknownTime, { name }),
  };
}

/** The texts of `/remind`, its buttons and the reminder itself. `name` is that of a listing. */
export function remindTexts(messages: Catalogue['remind'], { text, texts }: Language) {
  return {
    ...texts(messages),
    now: (name: Markup) => text(messages.now, { name }),
    next: (name: Markup, time: Markup) => text(messages.next, { name, time }),
    afterVotes: subtext(text(messages.afterVotes)),
    off: (command: Markup) => text(messages.off, { command }),
    /** Why the bot has switched them off. */
    stopped: {
      direct_messages_closed: (command: Markup) => text(messages.directMessagesClosed, { command }),
    },
    message: {
      title: text(messages.messageTitle),
      text: (name: Markup) => text(messages.message, { name }),
    },
  };
}

export function traceTexts(messages: Catalogue['trace'], { text, texts }: Language, parts: PartTexts) {
  const fixed = texts(messages);
  const effects: Readonly<Record<string, Markup>> = fixed.effects;
  const nameOf = (kind: string) => (Object.hasOwn(effects, kind) ? effects[kind] : undefined) ?? fixed.effects.unknown;
  return {
    ...fixed,
    of: (user: Markup) => text(messages.of, { user }),
    nothing: (user: Markup) => text(messages.nothing, { user }),
    entry: (cause: Markup, credits: number, reason: Markup | null) => {
      const amount = parts.credits(Math.abs(credits));
      const paid = credits === 0 ? amount : credits < 0 ? markup`−${amount}` : markup`+${amount}`;
      const explained = reason === null ? null : markup`(${reason})`;
      return joined([text(messages.entry, { cause, credits: paid }), explained], ' ');
    },
    quarantined: (reason: Markup) => text(messages.quarantined, { reason }),
    effects: {
      name: nameOf,
      waiting: (kind: string) => text(messages.waiting, { effect: nameOf(kind) }),
      retried: (kind: string, reason: Markup) => text(messages.retried, { effect: nameOf(kind), reason }),
      failed: (kind: string, reason: Markup) => text(messages.failed, { effect: nameOf(kind), reason }),
    },
    until: (time: Markup) => text(messages.until, { time }),
  };
}
