import type { Catalogue } from './catalogue.ts';
import type { Language } from './language.ts';

/** Numbers with their nouns, for use in other texts. */
export function partTexts(messages: Catalogue['parts'], language: Language) {
  const { count, plain } = language;
  return {
    /** "**12** credits" */
    credits: (credits: number) => count(messages.credits, credits),
    /** "**12** days" */
    days: (days: number) => count(messages.days, days),
    /** "**12** votes" */
    votes: (votes: number) => count(messages.votes, votes),
    /** "**12** members" */
    members: (members: number) => count(messages.members, members),
    /** "page 1 of 2" */
    page: (page: number, of: number) =>
      plain(messages.page, { number: language.number(page), of: language.number(of) }),
  };
}

export type PartTexts = ReturnType<typeof partTexts>;
