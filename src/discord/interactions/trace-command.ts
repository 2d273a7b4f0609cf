import type { Tracing } from '@tallyhook/platform/tracing/tracing';
import type { CommandDefinition } from '../commands/command.ts';
import type { CommandInput } from '../commands/input.ts';

/**
 * Runs a command in a span of its own trace, without what the member has entered.
 * @param run returns whether the response was an error message
 */
export async function traceCommand(
  tracing: Tracing,
  { name }: CommandDefinition,
  { action, guildId, interactionId }: Pick<CommandInput, 'action' | 'guildId' | 'interactionId'>,
  run: () => Promise<boolean>,
): Promise<void> {
  const attributes = {
    'tallyhook.command': name,
    'tallyhook.action': action ?? undefined,
    'discord.guild.id': guildId ?? undefined,
    'discord.interaction.id': interactionId,
  };
  await tracing.span(`command ${name}`, { kind: 'server', parent: null, attributes }, async (span) => {
    const failed = await run();
    span.set({ 'tallyhook.outcome': failed ? 'failed' : 'answered' });
    if (failed) span.fail('failed');
  });
}
