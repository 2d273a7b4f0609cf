import { optionType } from './command-schema.ts';
import { isIn, mayUse, type StoredCommand } from './commands.ts';
import { requireLocale } from './discord-state.ts';
import type { DiscordStore } from './discord-store.ts';
import { reject } from './errors.ts';
import { maxFileBytes } from './files.ts';
import { commandType } from './flags.ts';
import { callbackType, type InstallationOwners, type InteractionRequest, interactionType } from './interactions.ts';
import type {
  AutocompleteAction,
  Choice,
  CommandAction,
  ComponentAction,
  InteractionHandle,
  ModalAction,
  UserCommandAction,
} from './local-discord-interface.ts';
import { toSubmitData } from './modal.ts';
import { type Channel, controlsOf, isInGuild, type NormalizedControl } from './objects.ts';
import type { OutgoingInteractions } from './outgoing-interactions.ts';
import { permissions } from './permissions.ts';
import { isWithoutBot, placeWithoutBot } from './places-without-bot.ts';
import { resolveAutocomplete, resolveCommand } from './resolve-command.ts';
import { type Actor, type Resolved, resolveReferences, resolveSelection } from './resolved.ts';

/** "DMs with the app's bot user": what a response may contain. Discord: "Interaction Structure", app_permissions. */
const directMessagePermissions = permissions('attachFiles', 'embedLinks', 'mentionEveryone', 'useExternalEmojis');

/** A member's Discord client: it allows the same actions and applies the same checks as the real one. */
export class MemberClient {
  readonly #store: DiscordStore;
  readonly #outgoing: OutgoingInteractions;

  constructor(store: DiscordStore, outgoing: OutgoingInteractions) {
    this.#store = store;
    this.#outgoing = outgoing;
  }

  /** Opens the direct messages with the bot; returns the channel's id. @throws RejectedByClientError */
  openConversation(userId: string): string {
    const { state } = this.#store;
    return state.openDirectChannel(state.person(userId)).id;
  }

  /** Sends a slash command. @throws RejectedByClientError */
  runCommand({ options = {}, ...action }: CommandAction): InteractionHandle {
    const { command, path, channel, request } = this.#findCommand(action);
    const actor = this.#actor(action.userId, channel);
    const { resolved, options: sent } = resolveCommand(actor, this.#store.files, command, path, options);
    const label = `/${[command.name, ...path].join(' ')}`;
    const data = { ...commandReference(command), ...resolvedField(resolved), options: sent };
    const sentRequest = { ...request, type: interactionType.command, label, action: `used ${label}` };
    return this.#send(sentRequest, channel, { data }, action.locale);
  }

  /** Uses a command in the menu of a member. @throws RejectedByClientError */
  runUserCommand({ targetId, ...action }: UserCommandAction): InteractionHandle {
    const { command, channel, request } = this.#findCommand(action, commandType.user);
    const target = { type: optionType.user, id: targetId };
    const resolved = resolveReferences(this.#actor(action.userId, channel), [target]);
    if (Object.keys(resolved).length === 0) reject('option_invalid', 'There is no such user');
    const { name: label } = command;
    const data = { ...commandReference(command), target_id: targetId, resolved };
    const sent = { ...request, type: interactionType.command, label, action: `used ${label} on a member`, targetId };
    return this.#send(sent, channel, { data }, action.locale);
  }

  /** Types in an option with autocomplete; resolves with the bot's choices. @throws RejectedByClientError */
  async autocomplete({ options = {}, focused, ...action }: AutocompleteAction): Promise<readonly Choice[]> {
    const { command, path, channel, request } = this.#findCommand(action);
    const data = { ...commandReference(command), options: resolveAutocomplete(command, path, options, focused) };
    const label = `/${command.name}`;
    const sentRequest = { ...request, type: interactionType.autocomplete, label, action: `typed in ${label}` };
    const callback = await this.#send(sentRequest, channel, { data }, action.locale).response;
    return callback.type === callbackType.choices ? callback.data.choices : [];
  }

  /** Submits a modal that the bot opened for this member; possible once. @throws RejectedByClientError */
  submitModal({ interactionId, userId, values }: ModalAction): InteractionHandle {
    const { interactions, messages } = this.#store;
    const opener = interactions.find(interactionId);
    const callback = opener?.userId === userId ? opener.callback : undefined;
    if (opener === undefined || callback?.type !== callbackType.modal || opener.isModalSubmitted)
      reject('no_modal', 'The member has no such modal open');
    const { channelId, sourceId, owners } = opener;
    const channel = this.#channelOf(channelId, userId);
    const actor = this.#actor(userId, channel);
    const data = toSubmitData(actor, this.#store.files, callback.data, values);
    opener.isModalSubmitted = true;
    const stored = sourceId === null ? undefined : messages.find(sourceId);
    const { title: label } = callback.data;
    const request = { userId, channelId, label, action: `submitted “${label}”`, sourceId, owners };
    return this.#send({ ...request, type: interactionType.modal, openerId: opener.id }, channel, {
      data,
      ...(stored && { message: messages.asRead(stored.message) }),
    });
  }

  /** Clicks a button or submits a select. @throws RejectedByClientError */
  useComponent({ messageId, customId, userId, values = [], locale }: ComponentAction): InteractionHandle {
    const stored = this.#store.messages.find(messageId);
    if (stored === undefined || (stored.onlyFor !== null && stored.onlyFor !== userId))
      reject('unknown_message', 'The member cannot see this message');
    const { message } = stored;
    const channel = this.#channelOf(message.channel_id, userId);
    const component =
      controlsOf(message.components).find((each) => each.custom_id === customId) ??
      reject('unknown_component', `The message has no component ${customId}`);
    if (component.disabled) reject('disabled', 'The component is disabled');
    const label = componentLabel(component);
    const action = componentAction(component, message.interaction?.name);
    // Those of the interaction that led to the message; the bot has posted any other message itself.
    const owners = message.interaction_metadata?.authorizing_integration_owners ?? { '0': guildIdOf(channel) ?? '0' };
    const request = { userId, channelId: channel.id, label, action, sourceId: messageId, owners };
    const used = { custom_id: customId, component_type: component.type, id: component.id };
    const data = { ...used, ...selectedValues(component, values, this.#actor(userId, channel)) };
    return this.#send(
      { ...request, type: interactionType.component },
      channel,
      { message: this.#store.messages.asRead(message), data },
      locale,
    );
  }

  #actor(userId: string, channel: Channel): Actor {
    return { directory: this.#store.state, userId, inGuild: isInGuild(channel) && !isWithoutBot(channel) };
  }

  #findCommand(
    { name: fullName, userId, channelId }: Omit<CommandAction, 'options'>,
    type: number = commandType.slash,
  ) {
    const { state, commands } = this.#store;
    const channel = this.#channelOf(channelId, userId);
    const isSlash = type === commandType.slash;
    const [name = '', ...path] = isSlash ? fullName.replace(/^\//, '').split(' ') : [fullName];
    const shown = isSlash ? `/${name}` : name;
    const isMeant = (each: StoredCommand) => each.type === type && each.name === name;
    const command = commands.in(channel).find(isMeant);
    if (command === undefined) {
      const exists = commands.all().some(isMeant);
      reject('unknown_command', exists ? `${shown} cannot be used in this channel` : `Unknown command: ${shown}`);
    }
    if (!mayUse(state, command, userId, channel)) reject('not_permitted', `You do not have permission to use ${shown}`);
    const request = { userId, channelId, sourceId: null, owners: ownersOf(command, channel, userId) };
    return { command, path, channel, request };
  }

  /** The channel, if the member is in it. */
  #channelOf(channelId: string, userId: string): Channel {
    const { state } = this.#store;
    const channel = state.channels.get(channelId);
    if (channel === undefined || !isIn(state, userId, channel))
      reject('unknown_channel', 'The member cannot see this channel');
    return channel;
  }

  /** Sends an interaction, through the gateway or to the endpoint. Discord: "Interaction Structure". */
  #send(request: InteractionRequest, channel: Channel, fields: object, selectedLocale?: string): InteractionHandle {
    const { state, interactions, messages } = this.#store;
    const locale = selectedLocale === undefined ? state.localeOf(request.userId) : requireLocale(selectedLocale);
    const interaction = interactions.create(request);
    const { id, token, type } = interaction;
    const data = {
      id,
      application_id: state.applicationId,
      type,
      token,
      version: 1,
      channel_id: channel.id,
      channel,
      ...this.#context(channel, request.userId),
      authorizing_integration_owners: request.owners,
      locale,
      entitlements: [],
      attachment_size_limit: maxFileBytes,
      ...fields,
    };
    if (this.#outgoing.url === null) {
      // Interactions arrive wherever they come from; the bot's first shard has those of other guilds, too.
      state.dispatch('INTERACTION_CREATE', data, 0, isWithoutBot(channel) ? null : guildIdOf(channel));
    } else void this.#outgoing.send(data);
    return {
      id,
      response: interaction.response.promise,
      settled: interaction.settled.promise,
      get messages() {
        return interaction.messageIds.flatMap((each) => messages.find(each)?.message ?? []);
      },
    };
  }

  /** Fields of an interaction that describe the place and the member. */
  #context(channel: Channel, userId: string) {
    const { state } = this.#store;
    const user = state.user(userId);
    if (user !== undefined && isWithoutBot(channel)) return placeWithoutBot(channel, user);
    if (!isInGuild(channel)) return { user, context: 1, app_permissions: String(directMessagePermissions) };
    const { id, preferred_locale, features } = state.guild();
    return {
      guild_id: id,
      guild: { id, locale: preferred_locale, features },
      guild_locale: preferred_locale,
      member: { ...state.members.get(userId), permissions: String(state.permissionsOf(userId, channel)) },
      context: 0,
      app_permissions: String(state.permissionsOf(state.bot.id, channel)),
    };
  }
}

function selectedValues(component: NormalizedControl, values: readonly string[], actor: Actor): object {
  if (component.type === 2) return {};
  return { values, ...resolvedField(resolveSelection(actor, component, values)) };
}

/** Who has installed the app, as far as it concerns the command. Discord: "Authorizing Integration Owners". */
function ownersOf({ integration_types: types }: StoredCommand, channel: Channel, userId: string): InstallationOwners {
  const ofUser = types?.includes(1) ? { '1': userId } : {};
  return isWithoutBot(channel) ? ofUser : { '0': guildIdOf(channel) ?? '0', ...ofUser };
}

function guildIdOf(channel: Channel): string | null {
  return isInGuild(channel) ? channel.guild_id : null;
}

/** The command reference of an interaction. Discord: "Application Command Interaction Data". */
function commandReference({ id, name, type, guild_id }: StoredCommand) {
  return { id, name, type, ...(guild_id ? { guild_id } : {}) };
}

/** Discord omits an empty `resolved` field. */
function resolvedField(resolved: Resolved): { resolved?: Resolved } {
  return Object.keys(resolved).length > 0 ? { resolved } : {};
}

/** Nouns for the values of selects, by component type. Discord: "Component Types", 3 and 5 to 8. */
const selected: Readonly<Record<3 | 5 | 6 | 7 | 8, string>> = {
  3: 'an option',
  5: 'a member',
  6: 'a role',
  7: 'a member or role',
  8: 'a channel',
};

/** The text on a control, or its kind: never its custom id, which only the bot understands. */
function componentLabel(component: NormalizedControl): string {
  if (component.type === 2) return component.label ?? component.emoji?.name ?? 'a button';
  return component.placeholder ?? selected[component.type];
}

/**
 * A member's action with a control, such as `chose a channel in /setup`.
 *
 * @param command the command that the message responds to, if any
 */
function componentAction(component: NormalizedControl, command: string | undefined): string {
  const place = command === undefined ? '' : ` in /${command}`;
  if (component.type !== 2) return `chose ${selected[component.type]}${place}`;
  const label = componentLabel(component);
  return `pressed ${component.label == null ? label : `“${label}”`}${place}`;
}
