import type { EffectHandlers } from '../outbox/perform.ts';
import type { Clock } from '../platform/clock.ts';
import type { Texts } from '../texts/en.ts';
import { grouped, lines } from '../texts/markup.ts';
import { postOnce } from './post-once.ts';
import type { DiscordRest } from './rest.ts';

/** Announces that the goal of a party was reached. */
export function createPartyReachedHandler(options: {
  rest: DiscordRest;
  texts: Texts;
  clock: Clock;
}): NonNullable<EffectHandlers['partyReached']> {
  const { rest, texts, clock } = options;
  return async (effect) => {
    const { channelId, period, goal, credits } = effect.content;
    const { title, text, reward, footer } = texts.party.reached;
    const reply = {
      ...({ kind: 'panel', tone: 'good', title } as const),
      blocks: [
        {
          kind: 'text' as const,
          text: lines(text(grouped(goal)), credits > 0 ? reward(credits, grouped(credits)) : null),
        },
      ],
      at: effect.createdAt,
      footer: footer(period),
    };
    const posted = await postOnce(rest, clock, { channelId, reply, effect });
    return 'outcome' in posted ? posted : { outcome: 'done' };
  };
}
