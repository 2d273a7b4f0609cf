import type { Catalogue } from './catalogues.ts';
import type { Language } from './language.ts';

/** Numbers with their nouns, for use in other texts. */
export function partTexts(messages: Catalogue['parts'], language: Language) {
  const { count, plain } = language;
  return {
    /** "**12** credits" */
    credits: (credits: number) => count(messages.credits, credits),
    days: (days: number) => count(messages.days, days),
    votes: (votes: number) => count(messages.votes, votes),
    members: (members: number) => count(messages.members, members),
    page: (page: number, of: number) =>
      plain(messages.page, { number: language.number(page), of: language.number(of) }),
  };
}

export type PartTexts = ReturnType<typeof partTexts>;
