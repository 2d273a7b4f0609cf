import { selectedValues } from '../../src/discord/commands/input.ts';
import type { ModalField } from '../../src/discord/commands/reply.ts';
import { bold, channelMention, escapeName, type Markup, markup } from '../../src/texts/markup.ts';
import type { Problem } from './render-change.ts';
import type { SetupView } from './view.ts';

/** Without these, announcements fail. */
const requiredPermissions: readonly string[] = ['View Channel', 'Send Messages', 'Embed Links'];

/** What the bot lacks in a channel, so that it cannot post there; null for nothing. */
export function channelProblem({ input, texts }: SetupView, channelId: string, label: Markup): Problem | null {
  const missing = input.resolved.channels[channelId]?.missing?.filter((name) => requiredPermissions.includes(name));
  if (missing === undefined || missing.length === 0) return null;
  const { problems } = texts.setup;
  const text = problems.channel(channelMention(channelId), missing.join(', '));
  return { text: markup`${bold(label)}: ${text}`, hint: problems.channelHint };
}

/** Why the bot could not post in the channels that were selected in a form. */
export function findChannelProblems(view: SetupView, fields: readonly ModalField[]): readonly Problem[] {
  return fields.flatMap(({ kind, name, label }) =>
    kind === 'channels'
      ? selectedValues(view.input, name).flatMap((id) => channelProblem(view, id, escapeName(label)) ?? [])
      : [],
  );
}
