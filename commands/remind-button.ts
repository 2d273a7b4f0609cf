import type { ReplyButton } from '../src/discord/commands/reply.ts';
import { memoizeByIdentity } from '../src/platform/memoize.ts';
import type { Texts } from '../src/texts/texts.ts';
import type { Command } from './context.ts';

/**
 * The button that switches on the reminders of the member who presses it; none if it is not among the offered commands.
 * The same object again, so that it is rendered once.
 */
export const remindButtons = memoizeByIdentity((offered: readonly Command[], texts: Texts): readonly ReplyButton[] => {
  const isOffered = offered.some(({ name }) => name === 'remind');
  return isOffered ? [{ kind: 'action', command: 'remind', action: 'on', label: texts.remind.button }] : [];
});
