import type { Catalogue } from './catalogue.ts';
import type { Language } from './language.ts';
import { bold, type Markup } from './markup.ts';
import type { PartTexts } from './parts.ts';

/** The summary of the votes of a period. */
export function digestTexts(messages: Catalogue['digest'], { text, count }: Language, parts: PartTexts) {
  return {
    title: (name: Markup) => text(messages.title, { name }),
    votes: (votes: number, members: number) =>
      text(messages.votes, { votes: parts.votes(votes), members: parts.members(members) }),
    credits: (credits: number) => text(messages.credits, { credits: parts.credits(credits) }),
    top: bold(text(messages.top)),
    voter: (user: Markup, votes: number) => text(messages.voter, { user, votes: parts.votes(votes) }),
    milestones: bold(text(messages.milestones)),
    milestone: (user: Markup, votes: number) => count(messages.milestone, votes, { user }),
    more: (others: number) => count(messages.more, others),
  };
}

/** Streaks that ended without a vote. */
export function lostStreakTexts(messages: Catalogue['lostStreaks'], { text, count }: Language, parts: PartTexts) {
  return {
    title: text(messages.title),
    streak: (user: Markup, days: number) => text(messages.streak, { user, days: parts.days(days) }),
    more: (others: number) => count(messages.more, others),
    hint: text(messages.hint),
  };
}

/** A review that was written on the service. */
export function newReviewTexts(messages: Catalogue['newReview'], { text }: Language) {
  return {
    title: (name: Markup) => text(messages.title, { name }),
    heading: (rating: Markup, author: Markup) => text(messages.heading, { rating, author: bold(author) }),
  };
}
