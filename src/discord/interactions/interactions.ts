import { messageOf } from '@tallyhook/platform/errors';
import { memoizeByIdentity } from '@tallyhook/platform/memoize';
import {
  type APIApplicationCommandAutocompleteInteraction,
  type APIChatInputApplicationCommandInteraction,
  type APIInteraction,
  type APIMessageComponentInteraction,
  type APIModalSubmitInteraction,
  type APIUserApplicationCommandInteraction,
  ApplicationCommandType,
  ComponentType,
  InteractionType,
} from 'discord-api-types/v10';
import type { Texts } from '../../texts/texts.ts';
import {
  type AnsweringContext,
  type CommandDefinition,
  findCommand,
  type NamedCommand,
  type SlashCommand,
} from '../commands/command.ts';
import { isAnsweredAlready, isExpired } from '../discord-errors.ts';
import { decodeCustomId, isOwnCustomId } from '../rendering/custom-id.ts';
import { autocomplete } from './autocomplete.ts';
import { guildOf, isOutside, toActionInput, toCommandInput, type UserInteraction, userOf } from './command-input.ts';
import { errorBody } from './error-replies.ts';
import { commandResponder, componentResponder, modalResponder } from './responder.ts';
import { type CommandPlace, type CommandRunnerOptions, createCommandRunner } from './run-command.ts';
import type { ResponseTransport } from './transport.ts';

/**
 * Responds to our own commands and components, and ignores those of other programs. Never throws: errors are reported
 * to the member, and in detail in the log.
 */
export type InteractionHandler = (interaction: APIInteraction, transport: ResponseTransport) => Promise<void>;

/**
 * Whether we answer the use of a command, by what Discord sends of it, with the guild in which it is registered (null for
 * all), and by the id of the interaction.
 */
export type IsOwnCommand = (
  command: NamedCommand & { readonly id: string; readonly scope: string | null },
  interactionId: string,
) => Promise<boolean>;

/** The context with the texts in the language of the member. */
type Localized<Context> = Context & { readonly texts: Texts };

/** Runs our commands as {@link createCommandRunner} says. A command that no listing of the community can serve says so. */
export function createInteractions<Unlocalized extends Omit<AnsweringContext, 'texts'>>(
  options: Omit<CommandRunnerOptions<Localized<Unlocalized>>, 'localContextFor'> & {
    commands: readonly SlashCommand<NoInfer<Localized<Unlocalized>>>[];
    /**
     * What a command can use where it is used, without the texts, which depend on the member. Returns the same object for
     * the same settings, at once unless the database must be asked. May reject.
     */
    contextFor: (place: CommandPlace) => Unlocalized | Promise<Unlocalized>;
    /** Commands that are not offered, but whose buttons may be under earlier messages. */
    retired?: readonly SlashCommand<NoInfer<Localized<Unlocalized>>>[];
    /** Whether we answer this use of a command: another program may have one of the same name. May reject. */
    isOwnCommand: IsOwnCommand;
    /** Called when another program has answered an interaction that we answered. */
    onAnsweredByAnother?: () => void;
  },
): InteractionHandler {
  const { commands, retired = [], contextFor, isOwnCommand, languages, onAnsweredByAnother = () => {}, log } = options;
  /** In the language of the member. */
  const textsOf = ({ locale, guild_locale }: UserInteraction): Texts => languages.for(locale, guild_locale);
  const actionsByName = new Map([...retired, ...commands].map((command) => [command.name, command]));
  const localize = memoizeByIdentity((context: Unlocalized, texts: Texts): Localized<Unlocalized> => {
    return { ...context, texts };
  });
  const run = createCommandRunner<Localized<Unlocalized>>({ ...options, languages, localContextFor });

  function localContextFor(
    place: CommandPlace,
    texts: Texts,
  ): Localized<Unlocalized> | Promise<Localized<Unlocalized>> {
    const context = contextFor(place);
    return context instanceof Promise ? context.then((each) => localize(each, texts)) : localize(context, texts);
  }

  async function handleCommand(
    interaction: APIChatInputApplicationCommandInteraction | APIUserApplicationCommandInteraction,
    transport: ResponseTransport,
  ): Promise<void> {
    const { id, name, type, guild_id: scope = null } = interaction.data;
    if (!(await isOwnCommand({ id, name, type, scope }, interaction.id))) return ignore(interaction);
    const command = findCommand(commands, { type, name }, languages);
    const responder = commandResponder(transport, visibilityOf(command, interaction));
    if (command !== undefined) return run(command, toCommandInput(interaction), responder);
    const texts = textsOf(interaction);
    await responder.reject(errorBody(texts.text('failure.unknownCommand'), texts));
  }

  async function handleAutocomplete(
    interaction: APIApplicationCommandAutocompleteInteraction,
    transport: ResponseTransport,
  ): Promise<void> {
    const { id, name, type, guild_id: scope = null } = interaction.data;
    if (!(await isOwnCommand({ id, name, type, scope }, interaction.id))) return ignore(interaction);
    const place = { guildId: guildOf(interaction), userId: userOf(interaction).id };
    const context = await localContextFor(place, textsOf(interaction));
    await autocomplete(interaction, findCommand(commands, { type, name }, languages), context, { transport, log });
  }

  async function handleAction(
    interaction: APIMessageComponentInteraction | APIModalSubmitInteraction,
    transport: ResponseTransport,
  ): Promise<void> {
    if (!isOwnCustomId(interaction.data.custom_id)) return ignore(interaction);
    const id = decodeCustomId(interaction.data.custom_id);
    const command = id === null ? undefined : actionsByName.get(id.command);
    const isComponent = interaction.type === InteractionType.MessageComponent;
    const responder = isComponent
      ? componentResponder(transport, interaction.message)
      : modalResponder(transport, interaction, visibilityOf(command, interaction));
    const isButton = isComponent && interaction.data.component_type === ComponentType.Button;
    const isPage = id?.action === null && isButton;
    const isKnown = isPage ? command?.hasPages : id?.action && command?.actions?.includes(id.action);
    if (id !== null && command !== undefined && isKnown) {
      return run(command, toActionInput(interaction, id), responder);
    }
    const texts = textsOf(interaction);
    await responder.reject(errorBody(texts.text('failure.unknownButton'), texts));
  }

  /** If two programs responded to one interaction, only one response would succeed. */
  function ignore({ id, type }: Pick<APIInteraction, 'id' | 'type'>): void {
    log.debug({ interaction: id, type }, 'interaction of another program ignored');
  }

  async function handle(interaction: APIInteraction, transport: ResponseTransport): Promise<void> {
    switch (interaction.type) {
      case InteractionType.ApplicationCommand:
        if (isSlashOrUserCommand(interaction)) return handleCommand(interaction, transport);
        return ignore(interaction);
      case InteractionType.ApplicationCommandAutocomplete:
        return handleAutocomplete(interaction, transport);
      case InteractionType.MessageComponent:
      case InteractionType.ModalSubmit:
        return handleAction(interaction, transport);
      default:
        return ignore(interaction);
    }
  }

  return async (interaction, transport) => {
    try {
      await handle(interaction, transport);
    } catch (error) {
      const fields = { interaction: interaction.id, reason: messageOf(error) };
      if (isAnsweredAlready(error)) onAnsweredByAnother();
      if (isExpired(error))
        log.warn(fields, 'response rejected by Discord: the interaction has expired or was answered already');
      else log.error(fields, 'response could not be sent to Discord');
    }
  };
}

function isSlashOrUserCommand(interaction: {
  readonly data: { readonly type: ApplicationCommandType };
}): interaction is APIChatInputApplicationCommandInteraction | APIUserApplicationCommandInteraction {
  const { ChatInput, User } = ApplicationCommandType;
  return interaction.data.type === ChatInput || interaction.data.type === User;
}

/** Where only the member has the app, others have not asked for it. */
function visibilityOf(
  command: CommandDefinition | undefined,
  interaction: UserInteraction,
): CommandDefinition['visibility'] {
  return command === undefined || isOutside(interaction) ? 'private' : command.visibility;
}
