import type { OwnerReports } from '../../core/outbox/effect-contents.ts';
import type { Reply } from '../../discord/commands/reply.ts';
import { channelMention } from '../../texts/markup.ts';
import type { Texts } from '../../texts/texts.ts';

/** Tells the owner that a panel is gone. */
export function renderLostPanel(
  { panelChannelId }: Pick<OwnerReports['votePanelGone'], 'panelChannelId'>,
  { votePanel }: Texts,
): Reply {
  return { tone: 'wait', title: votePanel.goneTitle, text: votePanel.gone(channelMention(panelChannelId)) };
}
