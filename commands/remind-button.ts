import type { ReplyButton } from '../src/discord/commands/reply.ts';
import type { CommandContext } from './context.ts';

/** The button that switches on the reminders of the member who presses it. None if the command is not offered. */
export function remindButtons({ commands, texts }: Pick<CommandContext, 'commands' | 'texts'>): readonly ReplyButton[] {
  const isOffered = commands.some(({ name }) => name === 'remind');
  return isOffered ? [{ kind: 'action', command: 'remind', action: 'on', label: texts.remind.button }] : [];
}
