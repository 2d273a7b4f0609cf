import type { AttemptResult } from '@tallyhook/platform/attempt-result';
import type { Clock } from '@tallyhook/platform/clock';
import { lines, type Markup, markup, repeated, timestamp } from '@tallyhook/platform/texts/markup';
import type { Effect } from '../../core/outbox/effect.ts';
import type { Handle } from '../../core/outbox/perform.ts';
import type { Panel } from '../../discord/commands/reply.ts';
import type { ChannelTexts } from '../../discord/languages.ts';
import { editMessage, type Posted, postOnce } from '../../discord/posting.ts';
import type { DiscordRest } from '../../discord/rest.ts';
import type { Texts } from '../../texts/texts.ts';
import type { PartyPanel } from './effects.ts';
import { daysOfPeriod } from './rules.ts';
import type { PartyStore, ShownParty } from './store.ts';

/** Length of the progress bar (blocks). */
const barLength = 20;

/**
 * Posts or edits the message with the progress of a party. One that was deleted is posted again. Rejects as
 * the store does.
 */
export function createPartyPanelHandler(options: {
  rest: DiscordRest;
  panels: Pick<PartyStore, 'find' | 'updated' | 'rejected'>;
  textsOf: ChannelTexts;
  clock: Clock;
}): Handle<PartyPanel> {
  const { rest, panels, textsOf, clock } = options;

  async function show(party: ShownParty, effect: Effect<PartyPanel>, channelId: string, now: number): Promise<Posted> {
    const { message } = party;
    const texts = await textsOf(channelId);
    const days = daysOfPeriod(effect.content.period);
    const reply = { ...renderParty(party, now, texts), footer: texts.days(...days) };
    const edited = message?.channelId === channelId ? await editMessage(rest, message, reply) : null;
    const footers = texts.languages.all().map((each) => each.days(...days));
    return edited ?? postOnce(rest, clock, { channelId, reply, effect, footers });
  }

  return async (effect): Promise<AttemptResult> => {
    const { period } = effect.content;
    const now = clock.now();
    const party = await panels.find(period, now);
    if (party === null) return { outcome: 'done' };
    const channelId = party.channelId ?? effect.content.channelId;
    const shown = await show(party, effect, channelId, now);
    if ('outcome' in shown) {
      // The owner may choose another channel instead, which the next vote takes; this one shows it wherever it is then.
      const isRejected = shown.outcome === 'bury' || (shown.outcome === 'later' && shown.stop !== undefined);
      if (isRejected) await panels.rejected(period);
      return shown;
    }
    const { votes, reachedAt } = party;
    const message = { id: shown.messageId, channelId };
    await panels.updated(period, { message, votes, isFinal: reachedAt !== null }, clock.now());
    return { outcome: 'done' };
  };
}

/** Once the goal is reached, it shows the goal, so that further votes change nothing. */
function renderParty(party: ShownParty, now: number, texts: Texts): Panel {
  const { text, number } = texts;
  const { votes, reachedAt, goal, credits, endsAt } = party;
  const isReached = reachedAt !== null;
  const shownVotes = isReached ? goal : votes;
  const filled = Math.min(barLength, Math.floor((barLength * shownVotes) / goal));
  const bar = markup`${repeated(markup`█`, filled)}${repeated(markup`░`, barLength - filled)}`;
  const progress = text('party.progress', { votes: number(shownVotes), goal: number(goal) });
  const panel = (tone: Panel['tone'], title: Markup, ...details: (Markup | null)[]): Panel => ({
    kind: 'panel',
    tone,
    title,
    blocks: [{ kind: 'text', text: lines(bar, progress, ...details) }],
  });
  if (isReached) return panel('good', text('party.reachedTitle'));
  if (now >= endsAt) return panel('wait', text('party.endedTitle'), text('party.missed'));
  const reward = credits > 0 ? text('party.reward', { credits: text('parts.credits', { count: credits }) }) : null;
  return panel('plain', text('party.title'), reward, text('party.ends', { time: timestamp(endsAt, 'R') }));
}
