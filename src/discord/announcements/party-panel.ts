import { RESTJSONErrorCodes, Routes } from 'discord.js';
import type { Panel } from '../../../commands/reply.ts';
import type { AttemptResult, Effect } from '../../core/outbox/effect.ts';
import type { EffectHandlers } from '../../core/outbox/perform.ts';
import type { Clock } from '../../platform/clock.ts';
import { lines, type Markup, markup, repeated, timestamp } from '../../texts/markup.ts';
import { type Texts, textsInAll } from '../../texts/texts.ts';
import { classifySendError, rejectionOf } from '../discord-errors.ts';
import type { ChannelTexts } from '../guild-languages.ts';
import { editRequest } from '../posting/message-request.ts';
import { type Posted, postOnce } from '../posting/post-once.ts';
import type { DiscordRest } from '../rest.ts';

/** Length of the progress bar (blocks). */
const barLength = 20;
/** The message cannot be edited any more, so that it is posted again. */
const replacedCodes: readonly (string | number)[] = [
  RESTJSONErrorCodes.UnknownMessage,
  RESTJSONErrorCodes.CannotEditMessageAuthoredByAnotherUser,
];
/** Discord limits how often a message that is older than an hour is edited. */
const tooManyEditsCode = RESTJSONErrorCodes.MaximumNumberOfEditsToMessagesOlderThanOneHourReached;

/** A message by the ids of it and its channel. */
interface PanelMessage {
  readonly id: string;
  readonly channelId: string;
}

/** A party and its message. Times are ms since the epoch. */
export interface ShownParty {
  /** Counted votes. */
  readonly votes: number;
  readonly reachedAt: number | null;
  readonly goal: number;
  /** For each voter. */
  readonly credits: number;
  /** The end of the period. */
  readonly endsAt: number;
  /** Where the message should be; null for the channel of the effect. */
  readonly channelId: string | null;
  /** Null before it was posted. */
  readonly message: PanelMessage | null;
}

/** What a message shows. */
export interface PanelUpdate {
  readonly message: PanelMessage;
  readonly votes: number;
  /** Whether further votes change nothing. */
  readonly isFinal: boolean;
}

/** The panels as they are stored, by the id of their period. `now` in ms since the epoch. */
export interface PartyPanels {
  /** Null if there is nothing to show, or a later update is planned, which will show it. */
  find(period: string, now: number): Promise<ShownParty | null>;
  /** Stores what the message shows, and enqueues another update if there were votes meanwhile. */
  updated(period: string, update: PanelUpdate, now: number): Promise<void>;
  /** Stores that Discord has rejected the message, so that the next vote tries again. */
  rejected(period: string): Promise<void>;
}

/**
 * Posts or edits the message with the progress of a party. One that was deleted is posted again. Rejects as
 * {@link PartyPanels} does.
 */
export function createPartyPanelHandler(options: {
  rest: DiscordRest;
  panels: PartyPanels;
  textsOf: ChannelTexts;
  clock: Clock;
}): NonNullable<EffectHandlers['partyPanel']> {
  const { rest, panels, textsOf, clock } = options;

  /** Null if there is no message to edit any more. */
  async function edit({ id, channelId }: PanelMessage, shown: Panel): Promise<Posted | null> {
    const { body, files } = editRequest(shown);
    try {
      await rest.patch(Routes.channelMessage(channelId, id), body, files);
      return { messageId: id };
    } catch (error) {
      const code = rejectionOf(error)?.code;
      if (code !== undefined && replacedCodes.includes(code)) return null;
      if (code === tooManyEditsCode) {
        const reason = `Discord limits the edits of a message older than an hour (${code})`;
        return { outcome: 'later', reason, scope: 'effects', notSent: true };
      }
      return classifySendError(error, { channelId, effects: 1 });
    }
  }

  async function show(
    party: ShownParty,
    effect: Effect<'partyPanel'>,
    channelId: string,
    now: number,
  ): Promise<Posted> {
    const { message } = party;
    const texts = await textsOf(channelId);
    const reply = { ...renderParty(party, now, texts.party), footer: texts.party.panelFooter(effect.content.period) };
    const edited = message?.channelId === channelId ? await edit(message, reply) : null;
    const footers = textsInAll().map((each) => each.party.panelFooter(effect.content.period));
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
      if (shown.outcome === 'bury') await panels.rejected(period);
      return shown;
    }
    const { votes, reachedAt } = party;
    const message = { id: shown.messageId, channelId };
    await panels.updated(period, { message, votes, isFinal: reachedAt !== null }, clock.now());
    return { outcome: 'done' };
  };
}

/** Once the goal is reached, it shows the goal, so that further votes change nothing. */
function renderParty(party: ShownParty, now: number, texts: Texts['party']): Panel {
  const { votes, reachedAt, goal, credits, endsAt } = party;
  const isReached = reachedAt !== null;
  const shownVotes = isReached ? goal : votes;
  const filled = Math.min(barLength, Math.floor((barLength * shownVotes) / goal));
  const bar = markup`${repeated(markup`█`, filled)}${repeated(markup`░`, barLength - filled)}`;
  const progress = texts.progress(bar, shownVotes, goal);
  const panel = (tone: Panel['tone'], title: Markup, ...details: (Markup | null)[]): Panel => ({
    ...{ kind: 'panel', tone, title },
    blocks: [{ kind: 'text', text: lines(progress, ...details) }],
  });
  if (isReached) return panel('good', texts.reachedTitle);
  if (now >= endsAt) return panel('wait', texts.endedTitle, texts.missed);
  const reward = credits > 0 ? texts.reward(credits) : null;
  return panel('plain', texts.title, reward, texts.ends(timestamp(endsAt, 'R')));
}
