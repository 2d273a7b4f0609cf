import type { Catalogue } from './catalogue.ts';
import type { Language } from './language.ts';
import { type Markup, markup } from './markup.ts';
import type { PartTexts } from './parts.ts';

/** The shared goal of a community. */
export function partyTexts(messages: Catalogue['party'], language: Language, parts: PartTexts) {
  const { text, count, number } = language;
  return {
    title: text(messages.title),
    reachedTitle: text(messages.reachedTitle),
    endedTitle: text(messages.endedTitle),
    progress: (bar: Markup, votes: number, goal: number) =>
      markup`${bar}\n${text(messages.progress, { votes: number(votes), goal: number(goal) })}`,
    reward: (credits: number) => text(messages.reward, { credits: parts.credits(credits) }),
    ends: (time: Markup) => text(messages.ends, { time }),
    missed: text(messages.missed),
    reached: {
      title: text(messages.goalTitle),
      text: (goal: number) => count(messages.goal, goal),
      reward: (credits: number) => text(messages.goalReward, { credits: parts.credits(credits) }),
    },
  };
}
