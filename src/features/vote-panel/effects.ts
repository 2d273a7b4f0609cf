import { fieldsFormat } from '../../core/outbox/effect-kind.ts';

declare module '../../core/outbox/effect-contents.ts' {
  interface EffectContents {
    readonly votePanel: VotePanel;
  }
  interface OwnerReports {
    /** The panel was deleted, or Discord does not let the bot post or change it. It is not shown any more. */
    readonly votePanelGone: LostPanel;
  }
}

/** Posts or updates the vote panel of a guild. */
export interface VotePanel {
  readonly channelId: string;
  readonly guildId: string;
}

interface LostPanel {
  /** Where it was. */
  readonly panelChannelId: string;
}

export const effects = { votePanel: fieldsFormat<VotePanel>({ channelId: ['string'], guildId: ['string'] }) };

export const ownerReports = { votePanelGone: { panelChannelId: ['string'] } } as const;
