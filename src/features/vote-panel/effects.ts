import { type EffectKind, fieldsFormat, type MessageType } from '../../core/outbox/effect-kind.ts';

/** Posts or updates the vote panel of a guild. */
export interface PanelOfGuild {
  readonly channelId: string;
  readonly guildId: string;
}

export const votePanelKind: EffectKind<'votePanel', PanelOfGuild> = {
  kind: 'votePanel',
  ...fieldsFormat<PanelOfGuild>({ channelId: ['string'], guildId: ['string'] }),
};

/** The panel was deleted, or Discord does not let the bot post or change it. It is not shown any more. */
export interface LostPanel {
  readonly panelChannelId: string;
}

export const lostPanelReport: MessageType<'votePanelGone', LostPanel> = {
  type: 'votePanelGone',
  fields: { panelChannelId: ['string'] },
};
