import { creditCount } from './credit-count.ts';
import { bold, type Markup, markup } from './markup.ts';

/** The shared goal of a community. `grouped` are formatted credits. */
export const party = {
  title: markup`Vote party`,
  reachedTitle: markup`Vote party: the goal was reached`,
  endedTitle: markup`Vote party: the time is over`,
  progress: (bar: Markup, votes: Markup, goal: Markup) => markup`${bar}\n${bold(votes)} of ${bold(goal)} votes`,
  reward: (credits: number, grouped: Markup) =>
    markup`When the goal is reached, everyone who voted receives ${creditCount(credits, grouped)}.`,
  ends: (time: Markup) => markup`Ends ${time}.`,
  missed: markup`The goal was not reached.`,
  /** Each footer names the period, such as week 2026-W02, and is different from the other. */
  panelFooter: (period: string) => `Party of ${period}`,
  reached: {
    title: markup`The goal is reached!`,
    text: (goal: Markup) => markup`Together you have cast ${bold(goal)} votes.`,
    reward: (credits: number, grouped: Markup) => markup`Everyone who voted receives ${creditCount(credits, grouped)}.`,
    footer: (period: string) => `Goal of ${period}`,
  },
};
