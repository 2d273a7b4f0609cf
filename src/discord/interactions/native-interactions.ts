import type { Clock } from '@tallyhook/platform/clock';
import { messageOf } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import type { AutocompleteInteraction, ChatInputCommandInteraction, Interaction } from 'discord.js';
import { type APIInteraction, ApplicationCommandType, InteractionType, MessageFlags } from 'discord-api-types/v10';
import type { AppTexts } from '../../texts/texts.ts';
import type { CommandDefinition, NativeFunctions } from '../commands/command.ts';
import { isOwnCustomId } from '../rendering/custom-id.ts';
import { renderReply } from '../rendering/message.ts';
import { createErrorReplies } from './error-replies.ts';
import type { IsOwnCommand } from './interactions.ts';

/** The interactions that discord.js handles: of commands in its own shape, and the components that these post. */
export type NativeInteractions = NonNullable<ReturnType<typeof createNativeInteractions>>;

/** Null without such commands, so that discord.js builds no objects of interactions. */
export function createNativeInteractions(options: {
  readonly commands: readonly (CommandDefinition & { readonly native?: NativeFunctions })[];
  /** May reject. */
  readonly isOwnCommand: IsOwnCommand;
  /** Called after the function has ended; `tookMs` is measured from the interaction on. */
  readonly onAnswered: (command: string, outcome: 'answered' | 'failed', tookMs: number) => void;
  readonly languages: AppTexts;
  readonly clock: Clock;
  readonly log: Log;
}) {
  const { commands, isOwnCommand, onAnswered, languages, clock, log } = options;
  const byName = new Map(
    commands.flatMap(({ name, native }) => (native === undefined ? [] : [[name, native] as const])),
  );
  const errors = createErrorReplies({ clock, log });
  if (byName.size === 0) return null;

  async function run(interaction: ChatInputCommandInteraction, command: NativeFunctions): Promise<void> {
    const { commandName: name } = interaction;
    const startedAt = clock.monotonic();
    try {
      await command.execute(interaction);
      onAnswered(name, 'answered', clock.monotonic() - startedAt);
    } catch (error) {
      onAnswered(name, 'failed', clock.monotonic() - startedAt);
      const { locale, guildLocale } = interaction;
      const { embeds } = renderReply(errors.ofError(name, error, languages.for(locale, guildLocale)), name);
      const reply = { embeds, flags: MessageFlags.Ephemeral } as const;
      await (interaction.deferred || interaction.replied ? interaction.followUp(reply) : interaction.reply(reply));
    }
  }

  async function handle(interaction: ChatInputCommandInteraction | AutocompleteInteraction): Promise<void> {
    const { id, commandId, commandName: name, commandType: type, commandGuildId: scope } = interaction;
    const command = byName.get(name);
    if (command === undefined || !(await isOwnCommand({ id: commandId, name, type, scope }, id))) return;
    if (interaction.isAutocomplete()) await command.autocomplete(interaction);
    else await run(interaction, command);
  }

  return {
    /** Whether it is one of them. */
    takes(interaction: APIInteraction): boolean {
      switch (interaction.type) {
        case InteractionType.ApplicationCommand:
          return interaction.data.type === ApplicationCommandType.ChatInput && byName.has(interaction.data.name);
        case InteractionType.ApplicationCommandAutocomplete:
          return byName.has(interaction.data.name);
        case InteractionType.MessageComponent:
        case InteractionType.ModalSubmit:
          return !isOwnCustomId(interaction.data.custom_id);
        default:
          return false;
      }
    },
    /** Runs the command of an interaction that discord.js emits. Never rejects: errors are logged, and reported to the member. */
    async handle(interaction: Interaction): Promise<void> {
      if (!interaction.isChatInputCommand() && !interaction.isAutocomplete()) return;
      try {
        await handle(interaction);
      } catch (error) {
        log.warn({ command: interaction.commandName, reason: messageOf(error) }, 'a command could not be answered');
      }
    },
  };
}
