import { escapeInline, lines, type Markup, memberName, subtext, timestamp } from '@tallyhook/platform/texts/markup';
import { fileButtons, perVoteText, prizeText } from '../src/features/raffles/messages.ts';
import type { RaffleStatus } from '../src/features/raffles/parts.ts';
import { raffle as rules } from '../src/features/raffles/settings.ts';
import type { Texts } from '../src/texts/texts.ts';
import type { Command } from './context.ts';

/** The tickets of the member, and who has won last. Private, because it names the pseudonym. */
export const raffle = {
  name: 'raffle',
  visibility: 'private',
  hasPages: false,
  needs: rules.path,
  describe: ({ texts }) => ({ description: texts.text('raffle.description'), options: [] }),
  async execute({ userId, guildId }, context) {
    const { raffles, texts } = context;
    const { current = null, last = null } = (await raffles?.statusOf(userId)) ?? {};
    const departed = await context.findDeparted(guildId, last?.winners ?? []);
    return {
      tone: 'plain',
      title: texts.text('raffle.title'),
      text: lines(...currentLines(current, texts), ...lastLines(last, texts, departed)),
      buttons: fileButtons(last?.address ?? null, texts),
    };
  },
} as const satisfies Command;

function currentLines(current: RaffleStatus['current'], texts: Texts): readonly (Markup | null)[] {
  const { text } = texts;
  if (current === null) return [text('raffle.off')];
  const { rules: terms, endsAt, tickets, name } = current;
  const own = text('raffle.tickets', { count: tickets });
  return [
    tickets === 0 ? text('raffle.none') : text('raffle.own', { tickets: own }),
    prizeText(terms, texts),
    perVoteText(terms, texts),
    text('raffle.ends', { time: timestamp(endsAt, 'R') }),
    name === null ? null : subtext(text('raffle.name', { name: escapeInline(name) })),
  ];
}

function lastLines(
  last: RaffleStatus['last'],
  texts: Texts,
  departed: ReadonlyMap<string, string>,
): readonly (Markup | null)[] {
  if (last === null) return [];
  const { text } = texts;
  const { days, winners, tickets, name } = last;
  const own = { tickets: text('raffle.tickets', { count: tickets }), name: escapeInline(name ?? '') };
  return [
    text('raffle.last', { days: escapeInline(texts.days(...days)) }),
    winners.length === 0 ? text('raffle.nobody') : texts.list(winners.map((userId) => memberName(userId, departed))),
    name === null || tickets === 0 ? null : subtext(text('raffle.ownLast', own)),
  ];
}
