import type { Clock } from '../../platform/clock.ts';
import { minute, second } from '../../platform/durations.ts';
import { messageOf } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import { settleWithin } from '../../platform/with-timeout.ts';
import type { CommandReference } from './command-plan.ts';
import type { CommandRegistry } from './command-registry.ts';
import {
  adoptEarlierCommands,
  type CommandScope,
  maxGuildsAtStart,
  scopesToSearch,
  unclearHint,
} from './earlier-commands.ts';
import {
  forgetReplacedCommands,
  type Registration,
  type RegistrationReport,
  registerCommands,
} from './registration.ts';

const retryDelayMs = 10 * second;
/** How long an interaction may wait for the first registration attempt (ms); Discord expects a response within 3 s. */
const adoptionTimeoutMs = 1 * second;
/**
 * How often to check, while commands are used, whether another program has put its own in their place (ms). Discord sends
 * no event for it.
 */
const recheckIntervalMs = 1 * minute;

/** How often a command of another program may make us look for commands of a deploy script (ms). */
const adoptionIntervalMs = 10 * second;
/** The same for commands in a guild or, if ours are those of a guild, for global ones. */
const searchIntervalMs = 10 * minute;

/** Registers the slash commands once Discord is reachable, and retries 10 s after a failure, which is only logged. */
export function createRegistrar(
  options: Omit<Registration, 'applicationId' | 'registry' | 'context'> & {
    /** With the listings of all communities, as they are now. */
    offer: () => Registration['context'];
    registry: CommandRegistry;
    /** The guilds that the settings and the database name; by default none. */
    knownGuilds?: () => readonly string[];
    clock: Clock;
    log: Log;
  },
) {
  const { clock, log, offer, knownGuilds = () => [], ...registration } = options;
  const { registry, guildId } = registration;
  const stopping = new AbortController();
  const firstAttempt = Promise.withResolvers<void>();
  /**
   * Ids of our commands. They are not removed after a deletion: Discord's clients use a deleted command for a while.
   */
  const ownIds = new Set<string>();
  const idsByName = new Map<string, string>();
  let startedFor: string | undefined;
  let isRunning = false;
  let isOutdated = false;
  let hasAttempted = false;
  let checkedAt = Number.NEGATIVE_INFINITY;
  let adoptedAt = Number.NEGATIVE_INFINITY;
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

  /** Commands of another program, each of which is logged once. */
  function disown(conflicts: readonly CommandReference[]): void {
    for (const { name, id } of conflicts) {
      ownIds.delete(id);
      if (reportedConflicts.has(id) || !registration.commands.some((command) => command.name === name)) continue;
      reportedConflicts.add(id);
      log.warn(
        { command: name, id, scope: scopeOf(guildId), hint: conflictHint },
        'slash command of another program has the same name; it was not changed, and ours is not offered',
      );
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
      await loadOwnIds(applicationId);
      const registering = registerCommands({ ...registration, context: offer(), applicationId });
      const [report] = await Promise.all([registering, searchAll(applicationId)]);
      logRegistration(report, guildId, log);
      await loadOwnIds(applicationId);
      disown(report.conflicts);
      checkedAt = clock.monotonic();
      return true;
    } catch (error) {
      if (!stopping.signal.aborted)
        log.warn({ reason: messageOf(error) }, 'slash commands could not be registered; retrying');
      return false;
    } finally {
      hasAttempted = true;
      firstAttempt.resolve();
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

  /** In the background, for the next interactions. */
  async function recheck(applicationId: string): Promise<void> {
    if (isRunning || clock.monotonic() - checkedAt < recheckIntervalMs) return;
    checkedAt = clock.monotonic();
    try {
      const replaced = await forgetReplacedCommands({ ...registration, context: offer(), applicationId });
      if (replaced.length > 0) await loadOwnIds(applicationId);
      disown(replaced);
    } catch (error) {
      if (!stopping.signal.aborted) log.debug({ reason: messageOf(error) }, 'slash commands could not be checked');
    }
  }

  const isOurName = (name: string | undefined) => registration.commands.some((command) => command.name === name);

  /** A command that is not known, after the commands were registered again if its name is one of ours. */
  async function adopt(commandId: string, name: string | undefined, scope: CommandScope): Promise<boolean> {
    if (startedFor === undefined || !isOurName(name)) return false;
    if (scope !== guildId) return adoptEarlier(commandId, scope, startedFor);
    if (clock.monotonic() - adoptedAt < adoptionIntervalMs) return false;
    adoptedAt = clock.monotonic();
    await settleWithin(adoptionTimeoutMs, clock, run(startedFor));
    return ownIds.has(commandId);
  }

  /** The bot may be in more guilds than were searched at the start. */
  async function adoptEarlier(commandId: string, scope: CommandScope, applicationId: string): Promise<boolean> {
    const earlier = searchedAt.get(scope) ?? Number.NEGATIVE_INFINITY;
    if (clock.monotonic() - earlier < searchIntervalMs) return false;
    searchedAt.set(scope, clock.monotonic());
    await settleWithin(adoptionTimeoutMs, clock, search(applicationId, [scope]));
    if (isOutdated) void run(applicationId);
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
     * Whether we registered the command of this id, and no other program has replaced it since. One with the name of ours
     * that a deploy script has put there is recognised, too, and one that an earlier installation has left in another
     * scope. Rejects with what {@link CommandRegistry} throws.
     * @param scope where the command is registered: by default where ours are
     */
    async isOwn(commandId: string, name?: string, scope: CommandScope = guildId): Promise<boolean> {
      // The first attempt stores the ids of the commands that an earlier version registered, and removes those that
      // another program has replaced while we were not running.
      if (!hasAttempted && (startedFor !== undefined || !(await registry.has(commandId)))) {
        await settleWithin(adoptionTimeoutMs, clock, firstAttempt.promise);
      }
      if (!hasAttempted) return registry.has(commandId);
      if (!(await isStored(commandId))) return adopt(commandId, name, scope);
      if (startedFor !== undefined) void recheck(startedFor);
      return true;
    },
    /** What `isOwn` knows without asking the database or Discord: before the first registration, by the name. */
    isKnown: (commandId: string, name: string): boolean =>
      ownIds.has(commandId) || (startedFor !== undefined && !hasAttempted && isOurName(name)),
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
