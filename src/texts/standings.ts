import type { Catalogue } from './catalogues.ts';
import type { Language } from './language.ts';
import { bold, escapeInline, joined, type Markup, markup } from './markup.ts';
import type { PartTexts } from './parts.ts';

export function creditTexts(messages: Catalogue['credits'], language: Language, parts: PartTexts) {
  const { text, texts, count, number, days } = language;
  return {
    ...texts(messages),
    /** `rank` is null without credits and votes. */
    balance: (amount: number, rank: number | null) => {
      const credits = parts.credits(amount);
      return rank === null ? credits : text(messages.ranked, { credits, rank: number(rank) });
    },
    streak: (days: number, time: Markup) => text(messages.streak, { days: parts.days(days), time }),
    now: (name: Markup) => text(messages.now, { name }),
    later: (name: Markup, time: Markup) => text(messages.later, { name, time }),
    /** `left` is the number of votes until then, `reward` what it pays. */
    milestone: (votes: number, left: number, reward: Markup) =>
      count(messages.milestone, left, { votes: number(votes), reward }),
    reward: (amount: number) => text(messages.reward, { credits: parts.credits(amount) }),
    role: (role: Markup) => text(messages.role, { role }),
    /** On a day, as its number. */
    votedEverywhere: (day: number) => text(messages.votedEverywhere, { date: escapeInline(days(day)) }),
    entry: (amount: Markup, cause: Markup, time: Markup) => markup`${bold(amount)} · ${cause} · ${time}`,
    cause: (cause: Markup, listing: Markup | null, reason: Markup | null) =>
      joined([joined([cause, listing], ': '), reason === null ? null : markup`(${reason})`], ' '),
  };
}

/** Before a member of the first three ranks; null for all others. Members with the same rank have the same medal. */
export function medalOf(rank: number): Markup | null {
  return medals[rank - 1] ?? null;
}

const medals: readonly Markup[] = [markup`🥇`, markup`🥈`, markup`🥉`];

type BoardPeriod = keyof Catalogue['leaderboard']['periods'];
type BoardScore = keyof Catalogue['leaderboard']['scores'];

export function leaderboardTexts(messages: Catalogue['leaderboard'], language: Language, parts: PartTexts) {
  const { text, texts, plainCount, number } = language;
  const { titles, ...fixed } = texts(messages);
  const units = { votes: parts.votes, credits: parts.credits, streak: parts.days };
  return {
    ...fixed,
    title: (by: BoardScore, period: BoardPeriod): Markup => (by === 'streak' ? titles.streak : titles[by][period]),
    /** "12 votes", "12 credits" or "12 days". */
    score: (by: BoardScore, score: number): Markup => units[by](score),
    line: (rank: number, user: Markup, score: Markup) => text(messages.line, { rank: number(rank), user, score }),
    notRanked: (user: Markup) => text(messages.notRanked, { user }),
    count(total: number, page: number, pages: number) {
      const members = plainCount(messages.members, total);
      return pages === 1 ? members : `${parts.page(page, pages)} · ${members}`;
    },
  };
}
