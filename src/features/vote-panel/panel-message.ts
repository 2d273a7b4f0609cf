import { createHash } from 'node:crypto';
import type { AttemptResult } from '@tallyhook/platform/attempt-result';
import type { Clock } from '@tallyhook/platform/clock';
import { Routes } from 'discord-api-types/v10';
import type { Handle } from '../../core/outbox/perform.ts';
import type { Panel } from '../../discord/commands/reply.ts';
import { CircuitOpenError, classifySendError, rejectionOf } from '../../discord/discord-errors.ts';
import { editMessage, type Posted, type PostedMessage, postOnce } from '../../discord/posting.ts';
import type { DiscordRest } from '../../discord/rest.ts';
import type { PanelOfGuild, StoredPanel, VotePanelStore } from './store.ts';

/** The panel of a guild as it is to be shown now. */
export interface DrawnPanel {
  readonly panel: Panel & { readonly footer: string };
  readonly footers: readonly string[];
  /** Whether nothing is missing only because the listing service has not answered. */
  readonly isComplete: boolean;
}

export function digestOf({ panel }: DrawnPanel): string {
  return createHash('sha256').update(JSON.stringify(panel)).digest('hex').slice(0, 32);
}

/**
 * Posts a panel where it was placed, in place of an earlier one, and edits it when it would show something else. One that
 * was deleted is not posted again: its owner gets a report.
 */
export function createVotePanelHandler(options: {
  readonly rest: DiscordRest;
  readonly panels: Pick<VotePanelStore, 'find' | 'updated' | 'removed'>;
  /** Null for a guild without listings. */
  readonly draw: (guildId: string) => Promise<DrawnPanel | null>;
  /** The owner's channel of a guild. */
  readonly reportTo: (guildId: string) => string | null;
  readonly clock: Clock;
}): Handle<PanelOfGuild> {
  const { rest, panels, draw, reportTo, clock } = options;

  /** Null once it is deleted, or if Discord does not let the bot delete it, so that the new one does not wait for that. */
  async function remove({ channelId, id }: PostedMessage): Promise<AttemptResult | null> {
    try {
      await rest.delete(Routes.channelMessage(channelId, id));
      return null;
    } catch (error) {
      const isRejected = rejectionOf(error) !== null || error instanceof CircuitOpenError;
      return isRejected ? null : classifySendError(error, { channelId, effects: 1 });
    }
  }

  async function show(
    { channelId, messageId, replaced }: StoredPanel,
    { panel, footers }: DrawnPanel,
    effect: Parameters<typeof postOnce>[2]['effect'],
  ): Promise<Posted | null> {
    if (messageId !== null) return editMessage(rest, { id: messageId, channelId }, panel);
    const failure = replaced === null ? null : await remove(replaced);
    return failure ?? postOnce(rest, clock, { channelId, reply: panel, footers, effect });
  }

  return async (effect) => {
    const { guildId, channelId } = effect.content;
    const stored = await panels.find(guildId);
    if (stored === null || stored.channelId !== channelId) return { outcome: 'done' };
    const drawn = await draw(guildId);
    if (drawn === null) return { outcome: 'done' };
    const shown = digestOf(drawn);
    const isShown = stored.messageId !== null && stored.shown === shown;
    const result = isShown ? { messageId: stored.messageId } : await show(stored, drawn, effect);
    if (result === null || ('outcome' in result && result.outcome === 'bury')) {
      await panels.removed({ guildId, channelId }, reportTo(guildId), clock.now());
      return result ?? { outcome: 'done' };
    }
    if ('outcome' in result) return result;
    await panels.updated({ guildId, shown, message: { id: result.messageId, channelId } }, clock.now());
    return { outcome: 'done' };
  };
}
