import { z } from 'zod';
import { type CommandSchema, commandListSchema, commandSchema } from './command-schema.ts';
import type { DiscordState } from './discord-state.ts';
import { errorResponse, fieldError, raise } from './errors.ts';
import { type Channel, isInGuild, isThread, normalize } from './objects.ts';
import { permission } from './permissions.ts';
import { isWithoutBot, otherGuildPermissions } from './places-without-bot.ts';
import { validate } from './validate.ts';

/** "100 CHAT_INPUT commands, 15 USER commands, 15 MESSAGE commands" of a scope, by type. */
const maxCommands: Readonly<Record<number, number>> = { 1: 100, 2: 15, 3: 15 };

/** A registered command as Discord returns it. */
export type StoredCommand = CommandSchema & {
  readonly id: string;
  readonly application_id: string;
  readonly version: string;
  readonly guild_id?: string;
};

/** The scope of a registration: a guild's id, or null for the whole application. */
export type Scope = string | null;

/** The commands that the bot has registered, globally and per guild. */
export class Commands {
  readonly #state: DiscordState;
  readonly #scopes = new Map<Scope, Map<string, StoredCommand>>();

  constructor(state: DiscordState) {
    this.#state = state;
  }

  list(scope: Scope): StoredCommand[] {
    return [...this.#in(scope).values()];
  }

  get(scope: Scope, commandId: string): StoredCommand {
    return this.#in(scope).get(commandId) ?? raise(errorResponse.unknownCommand());
  }

  /** The commands of all scopes. */
  all(): StoredCommand[] {
    return [...this.#scopes.values()].flatMap((scope) => [...scope.values()]);
  }

  /** The commands available in a guild (its own and the global ones), or in direct messages (null). */
  availableIn(guildId: string | null): StoredCommand[] {
    const global = this.list(null);
    if (guildId === null) return global.filter(isAvailableInDirectMessages);
    const guildCommands = this.list(guildId);
    return [...guildCommands, ...global.filter((command) => command.contexts?.includes(0) ?? true)];
  }

  /** The commands that exist in a channel; members without the permission for one do not see it there. */
  in(channel: Channel): StoredCommand[] {
    if (!isWithoutBot(channel)) return this.availableIn(isInGuild(channel) ? channel.guild_id : null);
    // Those of the user's account, in guilds (0), or in conversations of people (2).
    const context = isInGuild(channel) ? 0 : 2;
    return this.list(null).filter(
      ({ contexts, integration_types: types }) => types?.includes(1) && (contexts?.includes(context) ?? true),
    );
  }

  /** The commands that Discord's client offers a member in a channel. */
  offeredTo(userId: string, channel: Channel): StoredCommand[] {
    if (!isIn(this.#state, userId, channel)) return [];
    return this.in(channel).filter((command) => mayUse(this.#state, command, userId, channel));
  }

  /** Adds a command, or replaces the one of the same type and name. */
  upsert(scope: Scope, body: unknown): { command: StoredCommand; created: boolean } {
    const input = validate(commandSchema, body);
    const existing = this.list(scope).find((command) => isSame(command, input));
    if (existing === undefined) rejectTooMany([...this.list(scope), input]);
    const command = this.#register(scope, input, existing);
    this.#in(scope).set(command.id, command);
    this.#state.changed('commands');
    return { command, created: existing === undefined };
  }

  update(scope: Scope, commandId: string, body: unknown): StoredCommand {
    const existing = this.get(scope, commandId);
    const changes = validate(z.record(z.string(), z.unknown()), body);
    const input = validate(commandSchema, { ...existing, ...changes });
    if (this.list(scope).some((command) => isSame(command, input) && command.id !== commandId)) {
      throw fieldError(['name'], 'APPLICATION_COMMANDS_DUPLICATE_NAME', 'Application command names must be unique');
    }
    const command = this.#register(scope, input, existing);
    this.#in(scope).set(command.id, command);
    this.#state.changed('commands');
    return command;
  }

  /** Replaces all commands of the scope; a command of the same type and name keeps its id. */
  overwrite(scope: Scope, body: unknown): StoredCommand[] {
    const inputs = validate(commandListSchema, body);
    rejectTooMany(inputs);
    const existing = this.list(scope);
    const commands = inputs.map((input) =>
      this.#register(
        scope,
        input,
        existing.find((command) => isSame(command, input)),
      ),
    );
    this.#scopes.set(scope, new Map(commands.map((command) => [command.id, command])));
    this.#state.changed('commands');
    return commands;
  }

  delete(scope: Scope, commandId: string): void {
    if (!this.#in(scope).delete(commandId)) throw errorResponse.unknownCommand();
    this.#state.changed('commands');
  }

  /** Restores a saved command without emitting events. */
  restore(command: StoredCommand): void {
    this.#in(command.guild_id ?? null).set(command.id, command);
  }

  #register(scope: Scope, input: CommandSchema, existing: StoredCommand | undefined): StoredCommand {
    return {
      id: existing?.id ?? this.#state.nextId(),
      application_id: this.#state.applicationId,
      version: this.#state.nextId(),
      ...input,
      options: input.options?.length ? input.options.map(normalize) : undefined,
      default_member_permissions: input.default_member_permissions ?? null,
      nsfw: input.nsfw ?? false,
      ...(scope === null
        ? {
            contexts: input.contexts ?? null,
            integration_types: input.integration_types ?? [0],
            dm_permission: isAvailableInDirectMessages(input),
          }
        : { guild_id: scope }),
    };
  }

  #in(scope: Scope): Map<string, StoredCommand> {
    const existing = this.#scopes.get(scope);
    if (existing !== undefined) return existing;
    const created = new Map<string, StoredCommand>();
    this.#scopes.set(scope, created);
    return created;
  }
}

/** Commands of different types may have the same name. */
function isSame(one: CommandSchema, other: CommandSchema): boolean {
  return one.type === other.type && one.name === other.name;
}

function rejectTooMany(commands: readonly CommandSchema[]): void {
  for (const [type, ofType] of Map.groupBy(commands, (command) => command.type)) {
    const max = maxCommands[type] ?? 0;
    if (ofType.length > max) throw errorResponse.tooManyCommands(max);
  }
}

function isAvailableInDirectMessages(command: Pick<CommandSchema, 'contexts' | 'dm_permission'>): boolean {
  return command.contexts ? command.contexts.includes(1) : command.dm_permission !== false;
}

/**
 * True if a member has the permissions that a command requires, and the thread is not closed to the member. Discord: "Application Command Permissions": `0` is for
 * administrators only, and in conversations there are no permissions.
 */
export function mayUse(
  state: DiscordState,
  { default_member_permissions: required }: Pick<StoredCommand, 'default_member_permissions'>,
  userId: string,
  channel: Channel,
): boolean {
  if (isThread(channel) && state.isClosedTo(userId, channel)) return false;
  if (required == null || !isInGuild(channel)) return true;
  const bits = BigInt(required) || permission.administrator;
  const held = isWithoutBot(channel)
    ? otherGuildPermissions(userId, state.people)
    : state.permissionsOf(userId, channel);
  return (held & bits) === bits;
}

/** True if a member is in the channel and may use commands there. */
export function isIn(state: DiscordState, userId: string, channel: Channel): boolean {
  if (!isInGuild(channel)) return channel.recipients.some(({ id }) => id === userId);
  if (isWithoutBot(channel)) return true;
  return state.canView(userId, channel) && state.hasPermission(userId, 'useApplicationCommands', channel);
}
