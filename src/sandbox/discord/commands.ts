import { z } from 'zod';
import { type CommandSchema, commandListSchema, commandSchema } from './command-schema.ts';
import type { DiscordState } from './discord-state.ts';
import { errorResponse, fieldError } from './errors.ts';
import { normalize } from './normalized-components.ts';
import { validate } from './validate.ts';

const maxCommands = 100;

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
    return this.#in(scope).get(commandId) ?? throwUnknownCommand();
  }

  /** The commands of all scopes. */
  all(): StoredCommand[] {
    return [...this.#scopes.values()].flatMap((scope) => [...scope.values()]);
  }

  /** The global commands that a user's account offers in a context: in guilds (0), or in conversations of people (2). */
  availableToUsers(context: 0 | 2): StoredCommand[] {
    return this.list(null).filter(
      ({ contexts, integration_types: types }) => types?.includes(1) && (contexts?.includes(context) ?? true),
    );
  }

  /** The commands available in a guild (its own and the global ones), or in direct messages (null). */
  availableIn(guildId: string | null): StoredCommand[] {
    const global = this.list(null);
    if (guildId === null) return global.filter(isAvailableInDirectMessages);
    const guildCommands = this.list(guildId);
    return [...guildCommands, ...global.filter((command) => command.contexts?.includes(0) ?? true)];
  }

  /** Adds a command, or replaces the one with the same name. */
  upsert(scope: Scope, body: unknown): { command: StoredCommand; created: boolean } {
    const input = validate(commandSchema, body);
    const existing = this.list(scope).find(({ name }) => name === input.name);
    if (existing === undefined && this.#in(scope).size >= maxCommands) throw errorResponse.tooManyCommands(maxCommands);
    const command = this.#register(scope, input, existing);
    this.#in(scope).set(command.id, command);
    this.#changed();
    return { command, created: existing === undefined };
  }

  update(scope: Scope, commandId: string, body: unknown): StoredCommand {
    const existing = this.get(scope, commandId);
    const changes = validate(z.record(z.string(), z.unknown()), body);
    const input = validate(commandSchema, { ...existing, ...changes });
    if (this.list(scope).some(({ id, name }) => name === input.name && id !== commandId)) {
      throw fieldError(['name'], 'APPLICATION_COMMANDS_DUPLICATE_NAME', 'Application command names must be unique');
    }
    const command = this.#register(scope, input, existing);
    this.#in(scope).set(command.id, command);
    this.#changed();
    return command;
  }

  /** Replaces all commands of the scope; a command with the same name keeps its id. */
  overwrite(scope: Scope, body: unknown): StoredCommand[] {
    const inputs = validate(commandListSchema, body);
    if (inputs.length > maxCommands) throw errorResponse.tooManyCommands(maxCommands);
    const before = this.list(scope);
    const commands = inputs.map((input) =>
      this.#register(
        scope,
        input,
        before.find(({ name }) => name === input.name),
      ),
    );
    this.#scopes.set(scope, new Map(commands.map((command) => [command.id, command])));
    this.#changed();
    return commands;
  }

  delete(scope: Scope, commandId: string): void {
    if (!this.#in(scope).delete(commandId)) throwUnknownCommand();
    this.#changed();
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

  #changed(): void {
    this.#state.events.emit('change', { kind: 'commands' });
  }
}

function isAvailableInDirectMessages(command: Pick<CommandSchema, 'contexts' | 'dm_permission'>): boolean {
  return command.contexts ? command.contexts.includes(1) : command.dm_permission !== false;
}

function throwUnknownCommand(): never {
  throw errorResponse.unknownCommand();
}
