import type { Catalogue } from './catalogue.ts';
import type { Language } from './language.ts';
import { bold, type Markup } from './markup.ts';
import type { PartTexts } from './parts.ts';

export function claimTexts(messages: Catalogue['claim'], { text }: Language, parts: PartTexts) {
  return {
    description: messages.description,
    titleClaimed: text(messages.titleClaimed),
    titleNothing: text(messages.titleNothing),
    claimed: (name: Markup, time: Markup) => text(messages.claimed, { name: bold(name), time }),
    recorded: (name: Markup, time: Markup) => text(messages.recorded, { name: bold(name), time }),
    paid: (credits: number) => text(messages.paid, { credits: parts.credits(credits) }),
    claimedBefore: text(messages.claimedBefore),
    /** `reason`: that of the service; empty for none. */
    denied: (reason: Markup) =>
      reason === '' ? text(messages.denied) : text(messages.deniedBecause, { reason: bold(reason) }),
    withinCooldown: (name: Markup, time: Markup, recorded: Markup) =>
      text(messages.withinCooldown, { name: bold(name), time, recorded }),
    forgotten: text(messages.forgotten),
    noVote: (name: Markup) => text(messages.noVote, { name: bold(name) }),
    tooOld: (name: Markup, time: Markup, since: Markup) => text(messages.tooOld, { name: bold(name), time, since }),
    siteSilent: (site: Markup, name: Markup) => text(messages.siteSilent, { site, name: bold(name) }),
    unknownTime: (name: Markup) => text(messages.unknownTime, { name: bold(name) }),
  };
}
