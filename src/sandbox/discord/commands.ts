import { z } from 'zod';
import { type CommandSchema, commandListSchema, commandSchema } from './command-schema.ts';
import type { DiscordState } from './discord-state.ts';
import { errorResponse, fieldError } from './errors.ts';
import { normalize } from './normalize.ts';
import { validate } from './validate.ts';

const commandLimit = 100;

/** A registered command as Discord gives it back. */
export type RegisteredCommand = CommandSchema & {
  readonly id: string;
  readonly application_id: string;
  readonly version: string;
  readonly guild_id?: string;
};

/** A place where commands are registered: the whole application, or one guild. */
export type Scope = string | null;

/** The commands that the bot has registered, globally (scope null) and per guild. */
export class Commands {
  readonly #world: DiscordState;
  readonly #scopes = new Map<Scope, Map<string, RegisteredCommand>>();

  constructor(world: DiscordState) {
    this.#world = world;
  }

  list(scope: Scope): RegisteredCommand[] {
    return [...this.#in(scope).values()];
  }

  get(scope: Scope, commandId: string): RegisteredCommand {
    return this.#in(scope).get(commandId) ?? unknown();
  }

  /** What a member finds in a guild (its own commands and the global ones), or in a direct conversation. */
  offeredIn(guildId: string | null): RegisteredCommand[] {
    const global = this.list(null);
    if (guildId === null) return global.filter(worksInDirectMessages);
    const own = this.list(guildId);
    return [...own, ...global.filter((command) => command.contexts?.includes(0) ?? true)];
  }

  /** Adds a command, or replaces the one of that name. Says whether it is new. */
  put(scope: Scope, body: unknown): { command: RegisteredCommand; created: boolean } {
    const form = validate(commandSchema, body);
    const known = this.list(scope).find(({ name }) => name === form.name);
    if (known === undefined && this.#in(scope).size >= commandLimit) throw errorResponse.tooManyCommands(commandLimit);
    const command = this.#register(scope, form, known);
    this.#in(scope).set(command.id, command);
    this.#changed();
    return { command, created: known === undefined };
  }

  change(scope: Scope, commandId: string, body: unknown): RegisteredCommand {
    const known = this.get(scope, commandId);
    const changes = validate(z.record(z.string(), z.unknown()), body);
    const form = validate(commandSchema, { ...known, ...changes });
    if (this.list(scope).some(({ id, name }) => name === form.name && id !== commandId)) {
      throw fieldError(['name'], 'APPLICATION_COMMANDS_DUPLICATE_NAME', 'Application command names must be unique');
    }
    const command = this.#register(scope, form, known);
    this.#in(scope).set(command.id, command);
    this.#changed();
    return command;
  }

  /** Replaces all; a command that was there keeps its id. */
  overwrite(scope: Scope, body: unknown): RegisteredCommand[] {
    const forms = validate(commandListSchema, body);
    if (forms.length > commandLimit) throw errorResponse.tooManyCommands(commandLimit);
    const before = this.list(scope);
    const commands = forms.map((form) =>
      this.#register(
        scope,
        form,
        before.find(({ name }) => name === form.name),
      ),
    );
    this.#scopes.set(scope, new Map(commands.map((command) => [command.id, command])));
    this.#changed();
    return commands;
  }

  delete(scope: Scope, commandId: string): void {
    if (!this.#in(scope).delete(commandId)) unknown();
    this.#changed();
  }

  #register(scope: Scope, form: CommandSchema, known: RegisteredCommand | undefined): RegisteredCommand {
    return {
      id: known?.id ?? this.#world.nextId(),
      application_id: this.#world.applicationId,
      version: this.#world.nextId(),
      ...form,
      options: form.options?.length ? form.options.map(normalize) : undefined,
      default_member_permissions: form.default_member_permissions ?? null,
      nsfw: form.nsfw ?? false,
      ...(scope === null
        ? {
            contexts: form.contexts ?? null,
            integration_types: form.integration_types ?? [0],
            dm_permission: worksInDirectMessages(form),
          }
        : { guild_id: scope }),
    };
  }

  #in(scope: Scope): Map<string, RegisteredCommand> {
    const known = this.#scopes.get(scope);
    if (known !== undefined) return known;
    const made = new Map<string, RegisteredCommand>();
    this.#scopes.set(scope, made);
    return made;
  }

  #changed(): void {
    this.#world.events.emit('change', { kind: 'commands' });
  }
}

function worksInDirectMessages(command: Pick<CommandSchema, 'contexts' | 'dm_permission'>): boolean {
  return command.contexts ? command.contexts.includes(1) : command.dm_permission !== false;
}

function unknown(): never {
  throw errorResponse.unknownCommand();
}
