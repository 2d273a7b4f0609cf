import {
  escapeInline,
  lines,
  link,
  type Markup,
  memberName,
  subtext,
  timestamp,
} from '@tallyhook/platform/texts/markup';
import { ada, announceDays, grace, type Preview } from '../../core/announcements/announcement.ts';
import type { Handle } from '../../core/outbox/perform.ts';
import type { ReplyButton } from '../../discord/commands/reply.ts';
import type { Texts } from '../../texts/texts.ts';
import type { PartsContext } from '../parts.ts';
import { daysOf } from './drawing.ts';
import type { AnnouncedRaffle } from './effects.ts';
import { raffleAddress } from './page.ts';
import { type RaffleRules, raffleAnnounced, raffleRules } from './rules.ts';
import type { DrawnRaffle, RaffleStore } from './store.ts';

export interface MessageContext
  extends Pick<PartsContext, 'announcements' | 'rest' | 'channelTexts' | 'findDeparted' | 'clock' | 'config'> {
  readonly store: { readonly raffles: RaffleStore };
}

/** Announces that a raffle has begun: before its end, because it is of no use afterwards. */
export function createOpenedHandler(context: MessageContext): Handle<AnnouncedRaffle> {
  const address = raffleAddress(context.config);
  return announceDays(context, raffleAnnounced, async (announced, texts) => {
    const raffle = await context.store.raffles.find(announced);
    if (raffle === null || context.clock.now() >= raffle.endsAt) return null;
    const reply = renderOpened(raffle, address(raffle), texts);
    return { days: daysOf(raffle), reply, contains: raffle.commitment };
  });
}

/** Announces who has won a raffle. */
export function createDrawnHandler(context: MessageContext): Handle<AnnouncedRaffle> {
  const address = raffleAddress(context.config);
  return announceDays(context, raffleAnnounced, async (announced, texts) => {
    const raffle = await context.store.raffles.find(announced);
    if (raffle === null || raffle.winners.length === 0 || raffle.ticketsHash === null) return null;
    const { winners, rules, ticketsHash } = raffle;
    const departed = await context.findDeparted({ channelId: announced.channelId }, winners);
    const reply = renderWinners(winners, rules.credits, texts, departed);
    const hash = texts.text('raffle.ticketsHash', { hash: escapeInline(ticketsHash) });
    const text = lines(reply.text, subtext(hash));
    const buttons = fileButtons(address(raffle), texts);
    return { days: daysOf(raffle), reply: { ...reply, text, buttons }, contains: ticketsHash };
  });
}

function renderOpened({ rules, endsAt, commitment, raffleId }: DrawnRaffle, address: string | null, texts: Texts) {
  const { text } = texts;
  return {
    tone: 'plain',
    title: text('raffle.openedTitle'),
    text: lines(
      prizeText(rules, texts),
      perVoteText(rules, texts),
      text('raffle.ends', { time: timestamp(endsAt, 'R') }),
      subtext(text('raffle.commitment', { hash: escapeInline(commitment) })),
      subtext(text('raffle.address', { id: link(escapeInline(raffleId), address) })),
    ),
  } as const;
}

/** "3 members win 300 credits each." */
export function prizeText({ credits, winners }: Pick<RaffleRules, 'credits' | 'winners'>, { text }: Texts): Markup {
  return text('raffle.prize', { count: winners, credits: text('parts.credits', { count: credits }) });
}

export function perVoteText(
  { ticketsPerVote, maxTickets }: Pick<RaffleRules, 'ticketsPerVote' | 'maxTickets'>,
  { text }: Texts,
): Markup {
  return text('raffle.perVote', {
    tickets: text('raffle.tickets', { count: ticketsPerVote }),
    most: text('raffle.tickets', { count: maxTickets }),
  });
}

function renderWinners(
  winners: readonly string[],
  credits: number,
  texts: Texts,
  departed: ReadonlyMap<string, string> = new Map(),
) {
  const won = texts.text('parts.credits', { count: credits });
  return {
    tone: 'good',
    title: texts.text('raffle.drawnTitle'),
    text: lines(
      ...winners.map((userId) => texts.text('raffle.winner', { user: memberName(userId, departed), credits: won })),
    ),
  } as const;
}

/** @param address null without an address of this installation */
export function fileButtons(address: string | null, { text }: Texts): readonly ReplyButton[] {
  return address === null ? [] : [{ kind: 'link', label: text('raffle.fileButton'), url: address }];
}

/** The winners, with sample members. */
export const rafflePreview: Preview = ({ style, rewards, texts }) => {
  const rules = raffleRules.in(rewards);
  if (rules === null || !raffleAnnounced.in(style)) return [];
  const winners = [ada, grace].slice(0, rules.winners);
  return [{ subject: 'raffle', reply: renderWinners(winners, rules.credits, texts) }];
};
