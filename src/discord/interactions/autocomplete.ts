import { second } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import { plainName } from '@tallyhook/platform/truncate';
import { settleWithin } from '@tallyhook/platform/with-timeout';
import {
  type APIApplicationCommandAutocompleteInteraction as AutocompleteInteraction,
  InteractionResponseType,
} from 'discord-api-types/v10';
import { maxChoices } from '../commands/choices.ts';
import type { AnsweringContext, CommandChoice, SlashCommand } from '../commands/command.ts';
import { isExpired } from '../discord-errors.ts';
import { isManager, toCompletionInput } from './command-input.ts';
import type { ResponseTransport } from './responses.ts';

/** Discord shows choices that arrive within 3 s (ms). Members type on, so late ones are of no use. */
const timeoutMs = 1 * second;
/** Discord: "Application Command Option Choice Structure" (characters). */
const maxLength = 100;

/**
 * Responds with the choices of the command, or with none: after an error, after a second, or if the member may not use
 * the command. Never throws.
 */
export async function autocomplete<Context extends AnsweringContext>(
  interaction: AutocompleteInteraction,
  command: SlashCommand<Context> | undefined,
  context: Context,
  { transport, log }: { readonly transport: ResponseTransport; readonly log: Log },
): Promise<void> {
  try {
    const choices = validChoices(await choicesOf(interaction, command, context, log));
    await transport.respond({ type: InteractionResponseType.ApplicationCommandAutocompleteResult, data: { choices } });
  } catch (error) {
    // Common, because Discord drops an interaction when the member types the next character.
    const fields = { command: interaction.data.name, reason: messageOf(error) };
    log[isExpired(error) ? 'debug' : 'warn'](fields, 'choices could not be sent to Discord');
  }
}

async function choicesOf<Context extends AnsweringContext>(
  interaction: AutocompleteInteraction,
  command: SlashCommand<Context> | undefined,
  context: Context,
  log: Log,
): Promise<readonly CommandChoice[]> {
  const isAllowed = command?.defaultMemberPermissions === undefined || isManager(interaction);
  if (command?.autocomplete === undefined || !isAllowed) return [];
  const search = command.autocomplete(toCompletionInput(interaction), context).catch((error: unknown) => {
    log.error({ command: command.name, err: error }, 'autocomplete failed');
    return [];
  });
  return (await settleWithin(timeoutMs, context.clock, search)) ?? [];
}

/** Without those that Discord would reject: one wrong choice makes it reject all. */
function validChoices(choices: readonly CommandChoice[]): CommandChoice[] {
  return choices
    .map(({ name, value }) => ({ name: plainName(name, maxLength), value }))
    .filter(({ name, value }) => name !== '' && value !== '' && value.length <= maxLength)
    .slice(0, maxChoices);
}
