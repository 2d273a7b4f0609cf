import { BoundedMap } from '@tallyhook/platform/bounded-map';
import type { Clock } from '@tallyhook/platform/clock';
import { minute, second } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import { settleWithin } from '@tallyhook/platform/with-timeout';
import { findCommand, type NamedCommand } from '../commands/command.ts';
import { describeDiscordError, tokenHint } from '../discord-errors.ts';
import type { CommandReference, CommandRegistry } from './command-shape.ts';
import {
  adoptEarlierCommands,
  type CommandScope,
  maxGuildsAtStart,
  type Reading,
  type Registration,
  type RegistrationReport,
  readCommands,
  registerCommands,
  scopesToSearch,
  unclearHint,
} from './registration.ts';

const retryDelayMs = 10 * second;
/** How long an interaction may wait until Discord's list is read (ms); Discord expects a response within 3 s. */
const readTimeoutMs = 1 * second;
/** How long an interaction waits for another process to store what it has registered (ms). */
const storeTimeoutMs = 1 * second;
/**
 * Interval of reading the list while commands are used (ms): Discord sends no event when another program has put its
 * own in their place. Before each answer where another program is known to use the application.
 */
const readIntervalMs = 1 * minute;

/** How often a command of another program may make us look for commands of a deploy script (ms). */
const adoptionIntervalMs = 10 * second;
/** How often a command in another scope than ours may make us search that scope (ms). */
const searchIntervalMs = 10 * minute;

/** Interactions of which it is remembered who answers them. */
const maxDecisions = 1_000;

/** A command as an interaction names it. */
export interface UsedCommand extends CommandReference {
  /** Where it is registered. */
  readonly scope: CommandScope;
}

type RegistrarOptions = Omit<Registration, 'applicationId' | 'registry' | 'context'> & {
  /** The commands to register, with the listings of all communities as they are now. */
  readonly offer: () => Registration['context'];
  readonly registry: CommandRegistry;
  /**
   * Says if another program can receive the same interactions: `known` with a client of the caller's, `never` over
   * HTTP. `possible`, the default, is `known` as soon as another program has registered or answered something.
   */
  readonly sharing?: 'known' | 'possible' | 'never';
  /** The guilds that the settings and the database name; by default none. */
  readonly knownGuilds?: () => readonly string[];
  readonly clock: Clock;
  readonly log: Log;
};

/** Registers the slash commands once Discord is reachable, and retries 10 s after a failure, which is only logged. */
export class CommandRegistrar {
  readonly #options: RegistrarOptions;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #stopping = new AbortController();
  readonly #firstReading = Promise.withResolvers<void>();
  /** Ids of our commands. They are not removed after a deletion: Discord's clients use a deleted command for a while. */
  readonly #ownIds = new Set<string>();
  readonly #idsByName = new Map<string, string>();
  /** True if we answer an interaction, by its id: as was promised to the caller, or decided. */
  readonly #decisions = new BoundedMap<boolean>(maxDecisions);
  readonly #searchedAt = new Map<CommandScope, number>();
  readonly #reportedConflicts = new Set<string>();
  /** The application; undefined before the start. */
  #startedFor: string | undefined;
  #isRunning = false;
  #isOutdated = false;
  /** True when a reading has ended, and when one has succeeded. */
  #hasTried = false;
  #hasRead = false;
  #isShared: boolean;
  #readAt = Number.NEGATIVE_INFINITY;
  #adoptedAt = Number.NEGATIVE_INFINITY;
  #lastReading: Promise<unknown> = Promise.resolve();
  #nextReading: Promise<Reading> | null = null;
  #hasSearched = false;

  constructor(options: RegistrarOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#log = options.log;
    this.#isShared = options.sharing === 'known';
  }

  /** Starts the registration; later calls have no effect. */
  start(applicationId: string): void {
    if (this.#startedFor !== undefined) return;
    this.#startedFor = applicationId;
    void this.#run(applicationId);
  }

  /** Registers again what is offered now; without effect before the start. Calls in quick succession are one. */
  update(): void {
    if (this.#startedFor === undefined) return;
    this.#isOutdated = true;
    void this.#run(this.#startedFor);
  }

  /**
   * True if we answer this use of a command: we registered it, and no other program has replaced it since; or `isKnown`
   * was true for the interaction. A command with the name of ours that a deploy script has put there is recognised, too,
   * and one that an earlier installation has left in another scope. Rejects with what {@link CommandRegistry} throws.
   */
  async isOwn(command: UsedCommand, interactionId: string): Promise<boolean> {
    // The caller's listener for the same interaction runs in this turn, and may ask `isKnown`.
    await Promise.resolve();
    if (this.#decisions.get(interactionId) === true) {
      if (this.#startedFor !== undefined && this.#isOld()) void this.#readForInteraction(this.#startedFor);
      return true;
    }
    const isOurs = await this.#decide(command);
    const answers = isOurs || this.#decisions.get(interactionId) === true;
    this.#decisions.set(interactionId, answers);
    return answers;
  }

  /**
   * The part of `isOwn` that is known without asking the database or Discord: before the list was read, by the name.
   * True is a promise to answer this interaction.
   */
  isKnown({ id, ...command }: CommandReference, interactionId: string | undefined): boolean {
    const decided = interactionId === undefined ? undefined : this.#decisions.get(interactionId);
    if (decided !== undefined) return decided;
    const isOurs =
      this.#ownIds.has(id) || (this.#startedFor !== undefined && !this.#hasRead && this.#hasNameOfOurs(command));
    if (isOurs && interactionId !== undefined) this.#decisions.set(interactionId, true);
    return isOurs;
  }

  /** Another program has answered an interaction of ours, so from now on the list is read before each answer. */
  noteOtherAnswer(): void {
    if (this.#options.sharing !== 'never') this.#isShared = true;
  }

  /** The id of our command of this name in the scope of the registration; null before it is registered. */
  idOf(name: string): string | null {
    return this.#idsByName.get(name) ?? null;
  }

  stop(): void {
    this.#stopping.abort();
  }

  #registrationOf(applicationId: string): Registration {
    const { rest, registry, guildId, commands, offer } = this.#options;
    return { rest, registry, guildId, commands, applicationId, context: offer() };
  }

  async #loadOwnIds(applicationId: string): Promise<void> {
    const commands = await this.#options.registry.list(applicationId);
    this.#idsByName.clear();
    for (const command of commands) {
      this.#ownIds.add(command.id);
      if (command.guildId === this.#options.guildId) this.#idsByName.set(command.name, command.id);
    }
  }

  /** Logs each command of another program with one of our names once. */
  #reportConflicts(conflicts: readonly CommandReference[]): void {
    for (const { id, ...command } of conflicts) {
      if (this.#reportedConflicts.has(id) || !this.#hasNameOfOurs(command)) continue;
      this.#reportedConflicts.add(id);
      this.#log.warn(
        { command: command.name, id, scope: scopeOf(this.#options.guildId), hint: conflictHint },
        'command of another program has the same name; it was not changed, and ours is not offered',
      );
    }
  }

  async #readNow(applicationId: string): Promise<Reading> {
    this.#readAt = this.#clock.monotonic();
    try {
      const reading = await readCommands(this.#registrationOf(applicationId));
      await this.#loadOwnIds(applicationId);
      const { foreign, conflicts } = reading.plan;
      for (const { id } of foreign) this.#ownIds.delete(id);
      this.#reportConflicts(conflicts);
      if (foreign.length > 0 && this.#options.sharing !== 'never') this.#isShared = true;
      this.#hasRead = true;
      return reading;
    } finally {
      this.#hasTried = true;
      this.#firstReading.resolve();
    }
  }

  /** Joins a reading that has not begun yet: one that has may miss what was deployed just before an interaction. */
  #read(applicationId: string): Promise<Reading> {
    this.#nextReading ??= this.#lastReading.then(() => {
      const reading = this.#readNow(applicationId);
      this.#nextReading = null;
      this.#lastReading = reading.catch(() => {});
      return reading;
    });
    return this.#nextReading;
  }

  /** For at most a second. After a failure, what was known before is true. */
  async #readForInteraction(applicationId: string): Promise<void> {
    try {
      await settleWithin(readTimeoutMs, this.#clock, this.#read(applicationId));
    } catch (error) {
      if (!this.#stopping.signal.aborted)
        this.#log.debug({ reason: messageOf(error) }, 'slash commands could not be checked');
    }
  }

  /** Finds commands of an earlier installation: they are answered from now on, and the next registration deletes them. */
  async #search(applicationId: string, scopes: readonly CommandScope[]): Promise<void> {
    const { ours, unclear } = await adoptEarlierCommands(this.#registrationOf(applicationId), scopes);
    for (const { id } of ours) this.#ownIds.add(id);
    if (ours.length > 0) this.#isOutdated = true;
    for (const [scope, commands] of Map.groupBy(ours, (command) => command.guildId)) {
      const names = commands.map(({ name }) => name);
      this.#log.info(
        { scope: scopeOf(scope), commands: names },
        'slash commands of an earlier installation are deleted',
      );
    }
    for (const { name, id, guildId: scope } of unclear)
      this.#log.info(
        { command: name, id, scope: scopeOf(scope), hint: unclearHint },
        'slash command of unknown origin',
      );
  }

  /** Once, with a request for each guild. What it does not find is found when it is used. */
  async #searchAll(applicationId: string): Promise<void> {
    if (this.#hasSearched || this.#stopping.signal.aborted) return;
    this.#hasSearched = true;
    try {
      const { rest, knownGuilds = () => [] } = this.#options;
      await this.#search(applicationId, await scopesToSearch(rest, knownGuilds(), maxGuildsAtStart));
    } catch (error) {
      if (!this.#stopping.signal.aborted)
        this.#log.debug({ reason: messageOf(error) }, 'earlier slash commands were not searched');
    }
  }

  async #attempt(applicationId: string): Promise<boolean> {
    try {
      const reading = await this.#read(applicationId);
      // Members may use the first command before the last one is registered.
      const onCreated = (id: string) => this.#ownIds.add(id);
      const registering = registerCommands({ ...this.#registrationOf(applicationId), onCreated }, reading);
      const [report] = await Promise.all([registering, this.#searchAll(applicationId)]);
      await this.#loadOwnIds(applicationId);
      for (const { id } of report.conflicts) this.#ownIds.delete(id);
      logRegistration(report, this.#options.guildId, this.#log);
      this.#reportConflicts(report.conflicts);
      return true;
    } catch (error) {
      if (this.#stopping.signal.aborted) return false;
      if (describeDiscordError(error).kind === 'token')
        this.#log.error({ hint: tokenHint }, 'Discord rejects the bot token');
      else this.#log.warn({ reason: messageOf(error) }, 'slash commands could not be registered; retrying');
      return false;
    }
  }

  /** Until the registration has succeeded for what is offered then. */
  async #run(applicationId: string): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    do {
      this.#isOutdated = false;
      while (!this.#stopping.signal.aborted && !(await this.#attempt(applicationId)))
        await this.#clock.sleep(retryDelayMs, this.#stopping.signal);
    } while (this.#isOutdated && !this.#stopping.signal.aborted);
    this.#isRunning = false;
  }

  async #isStored(commandId: string): Promise<boolean> {
    if (!this.#ownIds.has(commandId) && (await this.#options.registry.has(commandId))) this.#ownIds.add(commandId);
    return this.#ownIds.has(commandId);
  }

  /** Another process may have registered it a moment ago: members can use it before it is stored. */
  async #isStoredSoon({ id: commandId, scope: _scope, ...command }: UsedCommand): Promise<boolean> {
    const isTheirs = this.#reportedConflicts.has(commandId) || !this.#hasNameOfOurs(command);
    if (this.#startedFor === undefined || isTheirs) return false;
    await this.#clock.sleep(storeTimeoutMs, this.#stopping.signal);
    return this.#isStored(commandId);
  }

  #hasNameOfOurs(command: NamedCommand): boolean {
    return findCommand(this.#options.commands, command, this.#options.offer().languages) !== undefined;
  }

  /** A command that is not known, after the list was read again if its name is one of ours. */
  async #adopt({ id: commandId, scope, ...command }: UsedCommand): Promise<boolean> {
    if (this.#startedFor === undefined || !this.#hasNameOfOurs(command)) return false;
    if (scope !== this.#options.guildId) return this.#adoptEarlier(commandId, scope, this.#startedFor);
    if (this.#clock.monotonic() - this.#adoptedAt < adoptionIntervalMs) return false;
    this.#adoptedAt = this.#clock.monotonic();
    await this.#readForInteraction(this.#startedFor);
    if (!this.#ownIds.has(commandId)) return false;
    void this.#run(this.#startedFor);
    return true;
  }

  /** The bot may be in more guilds than were searched at the start. */
  async #adoptEarlier(commandId: string, scope: CommandScope, applicationId: string): Promise<boolean> {
    const earlier = this.#searchedAt.get(scope) ?? Number.NEGATIVE_INFINITY;
    if (this.#clock.monotonic() - earlier < searchIntervalMs) return false;
    this.#searchedAt.set(scope, this.#clock.monotonic());
    await settleWithin(readTimeoutMs, this.#clock, this.#search(applicationId, [scope]));
    if (this.#isOutdated) void this.#run(applicationId);
    return this.#ownIds.has(commandId);
  }

  #isOld(): boolean {
    return this.#clock.monotonic() - this.#readAt >= readIntervalMs;
  }

  async #decide(command: UsedCommand): Promise<boolean> {
    const { id: commandId } = command;
    // The first reading stores the ids of the commands that a deploy script has put there, and removes those that
    // another program has replaced while we were not running.
    if (!this.#hasTried && (this.#startedFor !== undefined || !(await this.#options.registry.has(commandId)))) {
      await settleWithin(readTimeoutMs, this.#clock, this.#firstReading.promise);
    }
    if (!this.#hasRead) return (await this.#options.registry.has(commandId)) || this.#isStoredSoon(command);
    if (!(await this.#isStored(commandId))) return (await this.#adopt(command)) || this.#isStoredSoon(command);
    if (this.#startedFor !== undefined && (this.#isShared || this.#isOld()))
      await this.#readForInteraction(this.#startedFor);
    return this.#ownIds.has(commandId);
  }
}

/** Hint for another program's command that has the name of one of ours. */
export const conflictHint =
  'Another program with the same bot token registered it. Rename or delete it there, or give tallyhook its own application; then restart.';

/** Hint for one of our commands in a guild that the bot can no longer access. */
export const inaccessibleHint =
  'The bot is no longer in that guild. To delete the command, invite the bot there and restart.';

function logRegistration(report: RegistrationReport, guildId: string | null, log: Log): void {
  const { conflicts: _conflicts, inaccessible, ...changes } = report;
  log.info({ scope: scopeOf(guildId), ...changes }, 'slash commands registered');
  for (const { name, id, guildId: otherGuildId } of inaccessible) {
    log.warn(
      { command: name, id, scope: scopeOf(otherGuildId), hint: inaccessibleHint },
      'a slash command registered earlier could not be deleted',
    );
  }
}

function scopeOf(guildId: string | null): string {
  return guildId ?? 'global';
}
