import { channelMention, escapeName, lines, type Markup } from '@tallyhook/platform/texts/markup';
import type { Panel, ReplyButton } from '../../src/discord/commands/reply.ts';
import { channelProblem, panel, refusing, renderProblems } from './results.ts';
import { button, listingOptions, type SetupView, selectBlock, textBlock } from './view.ts';

/** The button that leads to the choice of a channel for the vote panel. */
export const votePanelButton = ({ texts }: Pick<SetupView, 'texts'>): ReplyButton =>
  button(texts.text('setup.buttons.votePanel'), 'post-panel');

/** What a vote panel is, with the choice of its channel. @param problem why the one that was chosen cannot be used */
export function renderPanelChoice(view: SetupView, problem: Markup | null = null): Panel {
  const { text } = view.texts;
  return panel(
    problem === null ? 'plain' : 'bad',
    escapeName(text('setup.buttons.votePanel')),
    [
      textBlock(lines(problem, text('setup.votePanel.text'))),
      selectBlock({ kind: 'channels', action: 'panel-channel', placeholder: text('setup.placeholders.channel') }),
    ],
    [button(text('setup.buttons.overview'), 'overview', listingOptions(view))],
  );
}

/** Has the panel posted in the chosen channel, if the bot can post there. */
export async function postVotePanel(view: SetupView): Promise<Panel> {
  const { input, texts, services, guildId } = view;
  const { text } = texts;
  const [channelId] = input.values;
  if (channelId === undefined) return renderPanelChoice(view);
  const problem = await channelProblem(view, channelId, escapeName(text('setup.buttons.votePanel')));
  if (problem !== null) return refusing(renderPanelChoice(view, renderProblems([problem])), [problem]);
  await services.postVotePanel(guildId, channelId);
  return panel(
    'good',
    escapeName(text('setup.buttons.votePanel')),
    [textBlock(text('setup.votePanel.posted', { channel: channelMention(channelId) }))],
    [button(text('setup.buttons.overview'), 'overview', listingOptions(view))],
  );
}
