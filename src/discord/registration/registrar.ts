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
  scopesToSearch,
  unclearHint,
} from './earlier-commands.ts';
import {
  type Reading,
  type Registration,
  type RegistrationReport,
  readCommands,
  registerCommands,
} from './registration.ts';

const retryDelayMs = 10 * second;
/** How long an interaction may wait until Discord's list is read (ms); Discord expects a response within 3 s. */
const readTimeoutMs = 1 * second;
/**
 * How often to read the list while commands are used (ms): Discord sends no event when another program has put its own in
 * their place. Before each answer where another program is known to use the application.
 */
const readIntervalMs = 1 * minute;

/** How often a command of another program may make us look for commands of a deploy script (ms). */
const adoptionIntervalMs = 10 * second;
/** The same for commands in a guild or, if ours are those of a guild, for global ones. */
const searchIntervalMs = 10 * minute;

/** Of how many interactions it is remembered who answers them. */
const maxDecisions = 1_000;

/** A command as an interaction names it. */
export interface UsedCommand extends CommandReference {
  /** Where it is registered. */
  readonly scope: CommandScope;
}

/** Registers the slash commands once Discord is reachable, and retries 10 s after a failure, which is only logged. */
export function createRegistrar(
  options: Omit<Registration, 'applicationId' | 'registry' | 'context'> & {
    /** With the listings of all communities, as they are now. */
    offer: () => Registration['context'];
    registry: CommandRegistry;
    /**
     * Whether another program can receive the same interactions: `known` with a client of the caller's, `never` over
     * HTTP. `possible`, the default, is `known` as soon as another program has registered or answered something.
     */
    sharing?: 'known' | 'possible' | 'never';
    /** The guilds that the settings and the database name; by default none. */
    knownGuilds?: () => readonly string[];
    clock: Clock;
    log: Log;
  },
) {
  const { clock, log, offer, sharing, knownGuilds = () => [], ...registration } = options;
  const { registry, guildId } = registration;
  const stopping = new AbortController();
  const firstReading = Promise.withResolvers<void>();
  /**
   * Ids of our commands. They are not removed after a deletion: Discord's clients use a deleted command for a while.
   */
  const ownIds = new Set<string>();
  const idsByName = new Map<string, string>();
  /** Whether we answer an interaction, by its id: as was promised to the caller, or decided. */
  const decisions = new BoundedMap<boolean>(maxDecisions);
  let startedFor: string | undefined;
  let isRunning = false;
  let isOutdated = false;
  /** Whether a reading has ended, and whether one has succeeded. */
  let hasTried = false;
  let hasRead = false;
  let isShared = sharing === 'known';
  let readAt = Number.NEGATIVE_INFINITY;
  let adoptedAt = Number.NEGATIVE_INFINITY;
  let lastReading: Promise<unknown> = Promise.resolve();
  let nextReading: Promise<Reading> | null = null;
  let hasSearched = false;
  const searchedAt = new Map<CommandScope, number>();
  const reportedConflicts = new Set<string>();

  async function loadOwnIds(applicationId: string): Promise<void> {
    const commands = await registry.list(applicationId);
    idsByName.clear();
    for (const command of commands) {
      ownIds.add(command.id);
      if (command.guildId === guildId) idsByName.set(command.name, command.id);
    }
  }

  /** Logs each command of another program with one of our names once. */
  function reportConflicts(conflicts: readonly CommandReference[]): void {
    for (const { id, ...command } of conflicts) {
      if (reportedConflicts.has(id) || !hasNameOfOurs(command)) continue;
      reportedConflicts.add(id);
      log.warn(
        { command: command.name, id, scope: scopeOf(guildId), hint: conflictHint },
        'command of another program has the same name; it was not changed, and ours is not offered',
      );
    }
  }

  async function readNow(applicationId: string): Promise<Reading> {
    readAt = clock.monotonic();
    try {
      const reading = await readCommands({ ...registration, context: offer(), applicationId });
      await loadOwnIds(applicationId);
      const { foreign, conflicts } = reading.plan;
      for (const { id } of foreign) ownIds.delete(id);
      reportConflicts(conflicts);
      if (foreign.length > 0 && sharing !== 'never') isShared = true;
      hasRead = true;
      return reading;
    } finally {
      hasTried = true;
      firstReading.resolve();
    }
  }

  /** Joins a reading that has not begun yet: one that has may miss what was deployed just before an interaction. */
  function read(applicationId: string): Promise<Reading> {
    nextReading ??= lastReading.then(() => {
      const reading = readNow(applicationId);
      nextReading = null;
      lastReading = reading.catch(() => {});
      return reading;
    });
    return nextReading;
  }

  /** For at most a second. After a failure, what was known before is true. */
  async function readForInteraction(applicationId: string): Promise<void> {
    try {
      await settleWithin(readTimeoutMs, clock, read(applicationId));
    } catch (error) {
      if (!stopping.signal.aborted) log.debug({ reason: messageOf(error) }, 'slash commands could not be checked');
    }
  }

  /** Finds commands of an earlier installation: they are answered from now on, and the next registration deletes them. */
  async function search(applicationId: string, scopes: readonly CommandScope[]): Promise<void> {
    const { ours, unclear } = await adoptEarlierCommands({ ...registration, context: offer(), applicationId }, scopes);
    for (const { id } of ours) ownIds.add(id);
    if (ours.length > 0) isOutdated = true;
    for (const [scope, commands] of Map.groupBy(ours, (command) => command.guildId)) {
      const names = commands.map(({ name }) => name);
      log.info({ scope: scopeOf(scope), commands: names }, 'slash commands of an earlier installation are deleted');
    }
    for (const { name, id, guildId: scope } of unclear)
      log.info({ command: name, id, scope: scopeOf(scope), hint: unclearHint }, 'slash command of unknown origin');
  }

  /** Once, with a request for each guild. What it does not find is found when it is used. */
  async function searchAll(applicationId: string): Promise<void> {
    if (hasSearched || stopping.signal.aborted) return;
    hasSearched = true;
    try {
      await search(applicationId, await scopesToSearch(registration.rest, knownGuilds(), maxGuildsAtStart));
    } catch (error) {
      if (!stopping.signal.aborted) log.debug({ reason: messageOf(error) }, 'earlier slash commands were not searched');
    }
  }

  async function attempt(applicationId: string): Promise<boolean> {
    try {
      const reading = await read(applicationId);
      // Members may use the first command before the last one is registered.
      const onCreated = (id: string) => ownIds.add(id);
      const registering = registerCommands({ ...registration, context: offer(), applicationId, onCreated }, reading);
      const [report] = await Promise.all([registering, searchAll(applicationId)]);
      await loadOwnIds(applicationId);
      for (const { id } of report.conflicts) ownIds.delete(id);
      logRegistration(report, guildId, log);
      reportConflicts(report.conflicts);
      return true;
    } catch (error) {
      if (stopping.signal.aborted) return false;
      if (describeDiscordError(error).kind === 'token') log.error({ hint: tokenHint }, 'Discord rejects the bot token');
      else log.warn({ reason: messageOf(error) }, 'slash commands could not be registered; retrying');
      return false;
    }
  }

  /** Until the registration has succeeded for what is offered then. */
  async function run(applicationId: string): Promise<void> {
    if (isRunning) return;
    isRunning = true;
    do {
      isOutdated = false;
      while (!stopping.signal.aborted && !(await attempt(applicationId)))
        await clock.sleep(retryDelayMs, stopping.signal);
    } while (isOutdated && !stopping.signal.aborted);
    isRunning = false;
  }

  async function isStored(commandId: string): Promise<boolean> {
    if (!ownIds.has(commandId) && (await registry.has(commandId))) ownIds.add(commandId);
    return ownIds.has(commandId);
  }

  const hasNameOfOurs = (command: NamedCommand) =>
    findCommand(registration.commands, command, offer().languages) !== undefined;

  /** A command that is not known, after the list was read again if its name is one of ours. */
  async function adopt({ id: commandId, scope, ...command }: UsedCommand): Promise<boolean> {
    if (startedFor === undefined || !hasNameOfOurs(command)) return false;
    if (scope !== guildId) return adoptEarlier(commandId, scope, startedFor);
    if (clock.monotonic() - adoptedAt < adoptionIntervalMs) return false;
    adoptedAt = clock.monotonic();
    await readForInteraction(startedFor);
    if (!ownIds.has(commandId)) return false;
    void run(startedFor);
    return true;
  }

  /** The bot may be in more guilds than were searched at the start. */
  async function adoptEarlier(commandId: string, scope: CommandScope, applicationId: string): Promise<boolean> {
    const earlier = searchedAt.get(scope) ?? Number.NEGATIVE_INFINITY;
    if (clock.monotonic() - earlier < searchIntervalMs) return false;
    searchedAt.set(scope, clock.monotonic());
    await settleWithin(readTimeoutMs, clock, search(applicationId, [scope]));
    if (isOutdated) void run(applicationId);
    return ownIds.has(commandId);
  }

  const isOld = () => clock.monotonic() - readAt >= readIntervalMs;

  async function decide(command: UsedCommand): Promise<boolean> {
    const { id: commandId } = command;
    // The first reading stores the ids of the commands that a deploy script has put there, and removes those that
    // another program has replaced while we were not running.
    if (!hasTried && (startedFor !== undefined || !(await registry.has(commandId)))) {
      await settleWithin(readTimeoutMs, clock, firstReading.promise);
    }
    if (!hasRead) return registry.has(commandId);
    if (!(await isStored(commandId))) return adopt(command);
    if (startedFor !== undefined && (isShared || isOld())) await readForInteraction(startedFor);
    return ownIds.has(commandId);
  }

  return {
    /** Starts the registration; later calls have no effect. */
    start(applicationId: string): void {
      if (startedFor !== undefined) return;
      startedFor = applicationId;
      void run(applicationId);
    },
    /** Registers again what is offered now; without effect before the start. Calls in quick succession are one. */
    update(): void {
      if (startedFor === undefined) return;
      isOutdated = true;
      void run(startedFor);
    },
    /**
     * Whether we answer this use of a command: we registered it, and no other program has replaced it since; or `isKnown`
     * was true for the interaction. A command with the name of ours that a deploy script has put there is recognised, too,
     * and one that an earlier installation has left in another scope. Rejects with what {@link CommandRegistry} throws.
     */
    async isOwn(command: UsedCommand, interactionId: string): Promise<boolean> {
      // The caller's listener for the same interaction runs in this turn, and may ask `isKnown`.
      await Promise.resolve();
      if (decisions.get(interactionId) === true) {
        if (startedFor !== undefined && isOld()) void readForInteraction(startedFor);
        return true;
      }
      const isOurs = await decide(command);
      const answers = isOurs || decisions.get(interactionId) === true;
      decisions.set(interactionId, answers);
      return answers;
    },
    /**
     * What `isOwn` knows without asking the database or Discord: before the list was read, by the name. True is a promise
     * to answer this interaction.
     */
    isKnown({ id, ...command }: CommandReference, interactionId: string | undefined): boolean {
      const decided = interactionId === undefined ? undefined : decisions.get(interactionId);
      if (decided !== undefined) return decided;
      const isOurs = ownIds.has(id) || (startedFor !== undefined && !hasRead && hasNameOfOurs(command));
      if (isOurs && interactionId !== undefined) decisions.set(interactionId, true);
      return isOurs;
    },
    /** Another program has answered an interaction of ours, so from now on the list is read before each answer. */
    noteOtherAnswer(): void {
      if (sharing !== 'never') isShared = true;
    },
    /** The id of our command of this name in the scope of the registration; null before it is registered. */
    idOf: (name: string): string | null => idsByName.get(name) ?? null,
    stop: () => stopping.abort(),
  };
}

/** What to do about another program's command that has the name of one of ours. */
export const conflictHint =
  'Another program with the same bot token registered it. Rename or delete it there, or give tallyhook its own application; then restart.';

/** What to do about one of our commands in a guild that the bot can no longer access. */
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
