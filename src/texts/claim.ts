import { creditCount } from './credit-count.ts';
import { bold, type Markup, markup } from './markup.ts';

export const claim = {
  description: 'You voted and got nothing? Check with the listing service, and get your credits.',
  titleClaimed: markup`Vote recorded`,
  titleNothing: markup`Nothing to claim`,
  claimed: (name: Markup, time: Markup) =>
    markup`The listing service confirms your vote for ${bold(name)} ${time}. It had not arrived here, and is recorded now.`,
  recorded: (name: Markup, time: Markup) => markup`Your vote for ${bold(name)} of ${time} is recorded.`,
  paid: (credits: number, grouped: Markup) => markup`It gave ${creditCount(credits, grouped)}.`,
  claimedBefore: markup`You have claimed it before.`,
  /** `reason`: that of the service; empty for none. */
  denied: (reason: Markup) =>
    reason === ''
      ? markup`The service denied the credits.`
      : markup`The service denied the credits, with this reason: ${bold(reason)}.`,
  withinCooldown: (name: Markup, time: Markup, recorded: Markup) =>
    markup`Your vote for ${bold(name)} of ${time} is too close to the one of ${recorded}, which is recorded. Only one vote per cooldown counts.`,
  forgotten: markup`This vote was recorded for an account that you had deleted with /privacy.`,
  noVote: (name: Markup) => markup`The listing service has no vote of yours for ${bold(name)} that could be claimed.`,
  tooOld: (name: Markup, time: Markup, since: Markup) =>
    markup`Your last vote for ${bold(name)} was at ${time}. Only votes since ${since} can be claimed.`,
  unknownTime: (name: Markup) =>
    markup`The listing service reports a vote for ${bold(name)}, but no usable time, so it cannot be recorded. Please contact the operators of this bot.`,
};
