import { mention } from '@tallyhook/platform/texts/markup';
import { type CommandInput, userOption } from '../src/discord/commands/input.ts';
import { InputError } from '../src/discord/commands/input-error.ts';
import type { Texts } from '../src/texts/texts.ts';

/**
 * The user id of an option; the fallback for a missing or invalid one.
 * @throws InputError for a bot, which neither votes nor has an account
 */
export function memberOption(input: CommandInput, name: string, fallback: string, texts: Texts): string {
  const userId = userOption(input, name, fallback);
  if (input.resolved.users[userId]?.isBot) throw new InputError(texts.text('failure.isBot', { user: mention(userId) }));
  return userId;
}
