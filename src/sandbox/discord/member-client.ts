import { callbackType } from './callback-schema.ts';
import type { Commands, StoredCommand } from './commands.ts';
import { componentAction, componentLabel } from './component-action.ts';
import type { DiscordState } from './discord-state.ts';
import { RejectedByClientError } from './errors.ts';
import type { Files } from './files.ts';
import {
  type InstallationOwners,
  type InteractionRequest,
  type Interactions,
  interactionType,
} from './interactions.ts';
import type { Messages } from './messages.ts';
import { toSubmitData } from './modal.ts';
import { controlsOf, type NormalizedControl } from './normalized-components.ts';
import type { Channel } from './objects.ts';
import { commandsIn, isIn, mayUse } from './offered-commands.ts';
import type { OutgoingInteractions } from './outgoing-interactions.ts';
import { permissions } from './permissions.ts';
import { isWithoutBot, placeWithoutBot } from './places-without-bot.ts';
import { resolveAutocomplete, resolveCommand } from './resolve-command.ts';
import { requireLocale } from './resolve-locale.ts';
import { resolveSelection } from './resolve-select.ts';
import type { Actor, Resolved } from './resolved.ts';
import type {
  AutocompleteAction,
  Choice,
  CommandAction,
  ComponentAction,
  InteractionHandle,
  ModalAction,
} from './user-actions.ts';

/** "DMs with the app's bot user": what a response may contain. Discord: "Interaction Structure", app_permissions. */
const directMessagePermissions = permissions('attachFiles', 'embedLinks', 'mentionEveryone', 'useExternalEmojis');

/** A member's Discord client: it allows the same actions and applies the same checks as the real one. */
export class MemberClient {
  readonly #state: DiscordState;
  readonly #commands: Commands;
  readonly #messages: Messages;
  readonly #interactions: Interactions;
  readonly #files: Files;
  readonly #outgoing: OutgoingInteractions;

  constructor(
    state: DiscordState,
    commands: Commands,
    messages: Messages,
    interactions: Interactions,
    files: Files,
    outgoing: OutgoingInteractions,
  ) {
    this.#outgoing = outgoing;
    this.#state = state;
    this.#commands = commands;
    this.#messages = messages;
    this.#interactions = interactions;
    this.#files = files;
  }

  /** Opens the direct messages with the bot; returns the channel's id. @throws RejectedByClientError */
  openConversation(userId: string): string {
    const user = this.#state.users.get(userId);
    if (user === undefined || user.bot) throw new RejectedByClientError('unknown_user', 'There is no such user');
    return this.#state.openDirectChannel(user).id;
  }

  /** Sends a slash command. @throws RejectedByClientError */
  runCommand({ name: fullName, userId, channelId, options = {}, locale }: CommandAction): InteractionHandle {
    const channel = this.#channelOf(channelId, userId);
    const { command, name, path } = this.#commandNamed(fullName, userId, channel);
    const resolvedCommand = resolveCommand(this.#actor(userId, channel), this.#files, command, path, options);
    const owners = ownersOf(command, channel, userId);
    const label = `/${[name, ...path].join(' ')}`;
    const action = `used ${label}`;
    return this.#send(
      { type: interactionType.command, userId, channelId, label, action, sourceId: null, owners },
      channel,
      {
        data: {
          ...commandReference(command),
          ...resolvedField(resolvedCommand.resolved),
          options: resolvedCommand.options,
        },
      },
      locale,
    );
  }

  /** Types in an option with autocomplete; resolves with the bot's choices. @throws RejectedByClientError */
  async autocomplete({
    name: fullName,
    userId,
    channelId,
    options = {},
    focused,
    locale,
  }: AutocompleteAction): Promise<readonly Choice[]> {
    const channel = this.#channelOf(channelId, userId);
    const { command, name, path } = this.#commandNamed(fullName, userId, channel);
    const owners = ownersOf(command, channel, userId);
    const { response } = this.#send(
      {
        ...{ type: interactionType.autocomplete, userId, channelId, sourceId: null, owners },
        ...{ label: `/${name}`, action: `typed in /${name}` },
      },
      channel,
      {
        data: {
          ...commandReference(command),
          options: resolveAutocomplete(command, path, options, focused),
        },
      },
      locale,
    );
    const callback = await response;
    return callback.type === callbackType.choices ? callback.data.choices : [];
  }

  /** Submits a modal that the bot opened for this member; possible once. @throws RejectedByClientError */
  submitModal({ interactionId, userId, values }: ModalAction): InteractionHandle {
    const opener = this.#interactions.find(interactionId);
    const callback = opener?.userId === userId ? opener.callback : undefined;
    if (opener === undefined || callback?.type !== callbackType.modal || opener.isModalSubmitted) {
      throw new RejectedByClientError('no_modal', 'The member has no such modal open');
    }
    const { channelId, sourceId, owners } = opener;
    const channel = this.#channelOf(channelId, userId);
    const data = toSubmitData(this.#actor(userId, channel), callback.data, values);
    opener.isModalSubmitted = true;
    const source = sourceId === null ? undefined : this.#messages.find(sourceId)?.message;
    return this.#send(
      {
        type: interactionType.modal,
        userId,
        channelId,
        label: callback.data.title,
        action: `submitted “${callback.data.title}”`,
        sourceId,
        openerId: opener.id,
        owners,
      },
      channel,
      source === undefined ? { data } : { data, message: source },
    );
  }

  /** Clicks a button or submits a select. @throws RejectedByClientError */
  useComponent({ messageId, customId, userId, values, locale }: ComponentAction): InteractionHandle {
    const stored = this.#messages.find(messageId);
    if (stored === undefined || (stored.onlyFor !== null && stored.onlyFor !== userId)) {
      throw new RejectedByClientError('unknown_message', 'The member cannot see this message');
    }
    const { message } = stored;
    const channel = this.#channelOf(message.channel_id, userId);
    const component = controlsOf(message.components).find((each) => each.custom_id === customId);
    if (component === undefined)
      throw new RejectedByClientError('unknown_component', `The message has no component ${customId}`);
    const label = componentLabel(component);
    const action = componentAction(component, message.interaction?.name);
    if (component.disabled) throw new RejectedByClientError('disabled', 'The component is disabled');
    // Those of the interaction that led to the message; the bot has posted any other message itself.
    const owners = message.interaction_metadata?.authorizing_integration_owners ?? { '0': guildIdOf(channel) ?? '0' };
    return this.#send(
      { type: interactionType.component, userId, channelId: channel.id, label, action, sourceId: messageId, owners },
      channel,
      {
        message,
        data: {
          custom_id: customId,
          component_type: component.type,
          id: component.id,
          ...this.#selection(component, values, this.#actor(userId, channel)),
        },
      },
      locale,
    );
  }

  #selection(component: NormalizedControl, values: readonly string[] = [], actor: Actor): object {
    if (component.type === 2) return {};
    const selection = resolveSelection(actor, component, values);
    return { values: selection.values, ...resolvedField(selection.resolved) };
  }

  #actor(userId: string, channel: Channel): Actor {
    return { directory: this.#state, userId, inGuild: channel.type === 0 && !isWithoutBot(channel) };
  }

  #commandNamed(fullName: string, userId: string, channel: Channel) {
    const [name = '', ...path] = fullName.replace(/^\//, '').split(' ');
    const command = commandsIn(this.#commands, channel).find((each) => each.name === name);
    if (command === undefined) {
      const exists = this.#commands.all().some((each) => each.name === name);
      throw new RejectedByClientError(
        'unknown_command',
        exists ? `/${name} cannot be used in this channel` : `Unknown command: /${name}`,
      );
    }
    if (!mayUse(this.#state, command, userId, channel))
      throw new RejectedByClientError('not_permitted', `You do not have permission to use /${name}`);
    return { command, name, path };
  }

  /** The channel, if the member is in it. */
  #channelOf(channelId: string, userId: string): Channel {
    const channel = this.#state.channels.get(channelId);
    if (channel === undefined || !isIn(this.#state, userId, channel))
      throw new RejectedByClientError('unknown_channel', 'The member cannot see this channel');
    return channel;
  }

  /** Sends an interaction, through the gateway or to the endpoint. Discord: "Interaction Structure". */
  #send(request: InteractionRequest, channel: Channel, fields: object, selectedLocale?: string): InteractionHandle {
    const state = this.#state;
    const locale = selectedLocale === undefined ? state.localeOf(request.userId) : requireLocale(selectedLocale);
    const interaction = this.#interactions.create(request);
    const { id, token, type } = interaction;
    const data = {
      id,
      application_id: state.applicationId,
      type,
      token,
      version: 1,
      channel_id: channel.id,
      channel,
      ...this.#context(channel, request),
      locale,
      entitlements: [],
      attachment_size_limit: 10 * 1024 * 1024,
      ...fields,
    };
    if (this.#outgoing.url === null) {
      // Interactions arrive wherever they come from; the bot's first shard has those of other guilds, too.
      const guildId = isWithoutBot(channel) ? null : guildIdOf(channel);
      state.events.emit('dispatch', { name: 'INTERACTION_CREATE', intent: 0, guildId, data });
    } else void this.#outgoing.send(data);
    const messages = this.#messages;
    return {
      id,
      response: interaction.response.promise,
      settled: interaction.settled.promise,
      get messages() {
        return interaction.messageIds.flatMap((each) => messages.find(each)?.message ?? []);
      },
    };
  }

  #context(channel: Channel, { userId, owners }: InteractionRequest) {
    const state = this.#state;
    const member = state.members.get(userId);
    const user = state.user(userId);
    const installation = { authorizing_integration_owners: owners };
    if (user !== undefined && isWithoutBot(channel)) return { ...placeWithoutBot(channel, user), ...installation };
    if (channel.type !== 0) {
      const app_permissions = String(directMessagePermissions);
      return { user, context: 1, app_permissions, ...installation };
    }
    const guild = state.guild();
    return {
      guild_id: guild.id,
      guild: { id: guild.id, locale: guild.preferred_locale, features: guild.features },
      guild_locale: guild.preferred_locale,
      member: { ...member, permissions: String(state.permissionsOf(userId, channel)) },
      context: 0,
      app_permissions: String(state.permissionsOf(state.bot.id, channel)),
      ...installation,
    };
  }
}

/** Who has installed the app, as far as it concerns the command. Discord: "Authorizing Integration Owners". */
function ownersOf({ integration_types: types }: StoredCommand, channel: Channel, userId: string): InstallationOwners {
  const ofUser = types?.includes(1) ? { '1': userId } : {};
  return isWithoutBot(channel) ? ofUser : { '0': guildIdOf(channel) ?? '0', ...ofUser };
}

function guildIdOf(channel: Channel): string | null {
  return channel.type === 0 ? channel.guild_id : null;
}

/** The command reference of an interaction. Discord: "Application Command Interaction Data". */
function commandReference({ id, name, guild_id }: ReturnType<Commands['availableIn']>[number]) {
  return { id, name, type: 1, ...(guild_id ? { guild_id } : {}) };
}

/** Discord omits an empty `resolved` field. */
function resolvedField(resolved: Resolved): { resolved?: Resolved } {
  return Object.keys(resolved).length > 0 ? { resolved } : {};
}
