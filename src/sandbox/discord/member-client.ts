import { callbackType } from './callback-schema.ts';
import type { Commands } from './commands.ts';
import type { DiscordState } from './discord-state.ts';
import type { Files } from './files.ts';
import { type InteractionRequest, type Interactions, interactionType } from './interactions.ts';
import type { Button, Select } from './message-schema.ts';
import type { Messages } from './messages.ts';
import { submitted } from './modal.ts';
import type { Channel } from './objects.ts';
import { RejectedByClientError, resolveCommand, resolveCompletion } from './resolve-command.ts';
import { resolveSelection } from './resolve-select.ts';
import type { Asker, Resolved } from './resolved.ts';
import type {
  Choice,
  CommandAction,
  Completion,
  ComponentAction,
  InteractionHandle,
  ModalAction,
} from './user-actions.ts';

/** The client of a member: it can do what Discord's own lets its user do, and nothing else. */
export class MemberClient {
  readonly #world: DiscordState;
  readonly #commands: Commands;
  readonly #messages: Messages;
  readonly #interactions: Interactions;
  readonly #files: Files;

  constructor(world: DiscordState, commands: Commands, messages: Messages, interactions: Interactions, files: Files) {
    this.#world = world;
    this.#commands = commands;
    this.#messages = messages;
    this.#interactions = interactions;
    this.#files = files;
  }

  /** Types a slash command and sends it. @throws RefusedByClient */
  runCommand({ name: fullName, userId, channelId, options = {} }: CommandAction): InteractionHandle {
    const channel = this.#channelOf(channelId, userId);
    const { command, name, path } = this.#commandNamed(fullName, userId, channel);
    const usage = resolveCommand(this.#asker(userId, channel), this.#files, command, path, options);
    return this.#send(
      { type: interactionType.command, userId, channelId, label: `/${[name, ...path].join(' ')}`, sourceId: null },
      channel,
      {
        data: {
          ...used(command),
          ...present(usage.resolved),
          options: usage.options,
        },
      },
    );
  }

  /** Types on in an option that the bot completes. Resolves with what it offers. @throws RefusedByClient */
  async complete({ name: fullName, userId, channelId, options = {}, focused }: Completion): Promise<readonly Choice[]> {
    const channel = this.#channelOf(channelId, userId);
    const { command, name, path } = this.#commandNamed(fullName, userId, channel);
    const { response } = this.#send(
      { type: interactionType.autocomplete, userId, channelId, label: `/${name}`, sourceId: null },
      channel,
      {
        data: {
          ...used(command),
          options: resolveCompletion(command, path, options, focused),
        },
      },
    );
    const callback = await response;
    return callback.type === callbackType.choices ? callback.data.choices : [];
  }

  /** Sends off a modal that the bot has opened for this member. It can be sent once. @throws RefusedByClient */
  submitModal({ interactionId, userId, values }: ModalAction): InteractionHandle {
    const opened = this.#interactions.find(interactionId);
    const callback = opened?.userId === userId ? opened.callback : undefined;
    if (opened === undefined || callback?.type !== callbackType.modal || opened.isModalSent) {
      throw new RejectedByClientError('no_modal', 'The member has no such form open');
    }
    const { channelId, sourceId } = opened;
    const channel = this.#channelOf(channelId, userId);
    const data = submitted(this.#asker(userId, channel), callback.data, values);
    opened.isModalSent = true;
    const source = sourceId === null ? undefined : this.#messages.find(sourceId)?.message;
    return this.#send(
      { type: interactionType.modal, userId, channelId, label: callback.data.title, sourceId, openerId: opened.id },
      channel,
      source === undefined ? { data } : { data, message: source },
    );
  }

  /** Clicks a button, or picks from a select. @throws RefusedByClient */
  use({ messageId, customId, userId, values }: ComponentAction): InteractionHandle {
    const kept = this.#messages.find(messageId);
    if (kept === undefined || (kept.onlyFor !== null && kept.onlyFor !== userId)) {
      throw new RejectedByClientError('unknown_message', 'The member sees no such message');
    }
    const { message } = kept;
    const channel = this.#channelOf(message.channel_id, userId);
    const component = message.components.flatMap((row) => row.components).find((each) => each.custom_id === customId);
    if (component === undefined)
      throw new RejectedByClientError('unknown_component', `The message has no component ${customId}`);
    const label = ('label' in component ? component.label : null) ?? customId;
    if (component.disabled) throw new RejectedByClientError('disabled', 'The component is disabled');
    return this.#send(
      { type: interactionType.component, userId, channelId: channel.id, label, sourceId: messageId },
      channel,
      {
        message,
        data: {
          custom_id: customId,
          component_type: component.type,
          ...this.#picked(component, values, this.#asker(userId, channel)),
        },
      },
    );
  }

  #picked(component: Button | Select, values: readonly string[] = [], asker: Asker): object {
    if (component.type === 2) return {};
    const picked = resolveSelection(asker, component, values);
    return { values: picked.values, ...present(picked.resolved) };
  }

  #asker(userId: string, channel: Channel): Asker {
    return { world: this.#world, userId, inGuild: channel.type === 0 };
  }

  #commandNamed(fullName: string, userId: string, channel: Channel) {
    const [name = '', ...path] = fullName.replace(/^\//, '').split(' ');
    const guildId = channel.type === 0 ? channel.guild_id : null;
    const command = this.#commands.offeredIn(guildId).find((each) => each.name === name);
    if (command === undefined) throw new RejectedByClientError('unknown_command', `There is no command /${name}`);
    const needed = BigInt(command.default_member_permissions ?? 0);
    const held = this.#world.permissionsOf(userId, channel.type === 0 ? channel : undefined);
    if ((held & needed) !== needed) throw new RejectedByClientError('not_permitted', `The member may not use /${name}`);
    return { command, name, path };
  }

  /** The channel, if the member is in it. */
  #channelOf(channelId: string, userId: string): Channel {
    const channel = this.#world.channels.get(channelId);
    const inside =
      channel?.type === 1
        ? channel.recipients.some(({ id }) => id === userId)
        : channel !== undefined &&
          this.#world.members.has(userId) &&
          this.#world.may(userId, 'useApplicationCommands', channel);
    if (channel === undefined || !inside)
      throw new RejectedByClientError('unknown_channel', 'The member sees no such channel');
    return channel;
  }

  /** Sends an INTERACTION_CREATE. Discord: "Interaction Structure". */
  #send(asked: InteractionRequest, channel: Channel, particulars: object): InteractionHandle {
    const world = this.#world;
    const interaction = this.#interactions.open(asked);
    const { id, token, type } = interaction;
    world.events.emit('dispatch', {
      name: 'INTERACTION_CREATE',
      intent: 0,
      guildId: channel.type === 0 ? channel.guild_id : null,
      data: {
        id,
        application_id: world.applicationId,
        type,
        token,
        version: 1,
        channel_id: channel.id,
        channel,
        ...this.#whereAndWho(channel, asked.userId),
        locale: 'en-US',
        entitlements: [],
        attachment_size_limit: 10 * 1024 * 1024,
        ...particulars,
      },
    });
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

  #whereAndWho(channel: Channel, userId: string) {
    const world = this.#world;
    const member = world.members.get(userId);
    const ownerOfInstallation = {
      authorizing_integration_owners: { '0': channel.type === 0 ? channel.guild_id : '0' },
    };
    if (channel.type === 1) {
      const app_permissions = String(world.permissionsOf(world.bot.id));
      return { user: member?.user, context: 1, app_permissions, ...ownerOfInstallation };
    }
    const guild = world.guild();
    return {
      guild_id: guild.id,
      guild: { id: guild.id, locale: guild.preferred_locale, features: guild.features },
      guild_locale: guild.preferred_locale,
      member: { ...member, permissions: String(world.permissionsOf(userId, channel)) },
      context: 0,
      app_permissions: String(world.permissionsOf(world.bot.id, channel)),
      ...ownerOfInstallation,
    };
  }
}

/** The command as an interaction names it. Discord: "Application Command Interaction Data". */
function used({ id, name, guild_id }: ReturnType<Commands['offeredIn']>[number]) {
  return { id, name, type: 1, ...(guild_id ? { guild_id } : {}) };
}

/** Discord leaves the field out where nothing was named. */
function present(resolved: Resolved): { resolved?: Resolved } {
  return Object.keys(resolved).length > 0 ? { resolved } : {};
}
