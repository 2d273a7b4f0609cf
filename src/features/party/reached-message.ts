import type { EffectHandlers } from '../../core/outbox/perform.ts';
import { daysOfPeriod } from '../../core/rewards/party.ts';
import { partyOf } from '../../core/tally/party.ts';
import type { ChannelTexts } from '../../discord/guild-languages.ts';
import { postOnce } from '../../discord/posting/post-once.ts';
import type { DiscordRest } from '../../discord/rest.ts';
import type { Clock } from '../../platform/clock.ts';
import { lines } from '../../texts/markup.ts';
import { textsInAll } from '../../texts/texts.ts';

/** Announces that the goal of a party was reached. */
export function createPartyReachedHandler(options: {
  rest: DiscordRest;
  textsOf: ChannelTexts;
  clock: Clock;
}): NonNullable<EffectHandlers['partyReached']> {
  const { rest, textsOf, clock } = options;
  return async (effect) => {
    const { channelId, period, goal, credits } = effect.content;
    const { party, days } = await textsOf(channelId);
    const { title, text, reward } = party.reached;
    const shown = daysOfPeriod(partyOf(period).period);
    const reply = {
      ...({ kind: 'panel', tone: 'good', title } as const),
      blocks: [
        {
          kind: 'text' as const,
          text: lines(text(goal), credits > 0 ? reward(credits) : null),
        },
      ],
      at: effect.createdAt,
      footer: days(...shown),
    };
    const footers = textsInAll().map((each) => each.days(...shown));
    const posted = await postOnce(rest, clock, { channelId, reply, effect, footers });
    return 'outcome' in posted ? posted : { outcome: 'done' };
  };
}
