import type { Clock } from '../platform/clock.ts';
import { second } from '../platform/durations.ts';
import { messageOf } from '../platform/errors.ts';
import type { Log } from '../platform/log.ts';
import { settleWithin } from '../platform/with-timeout.ts';
import type { CommandRegistry } from './command-registry.ts';
import { logRegistration } from './log-registration.ts';
import { type Registration, registerCommands } from './registration.ts';

/** How long to wait with the next try (ms). */
const pause = 10 * second;
/** How long an interaction may wait for the registration that is under way (ms); Discord expects a response within 3 s. */
const adoptionTimeout = 1 * second;

/** Registers the slash commands once Discord is there, and tries again while that fails. */
export interface Registrar {
  /** Does its work once, however often it is started. */
  start(applicationId: string): void;
  /** Whether a command is one that we registered. Rejects with what {@link CommandRegistry} throws. */
  isOwn(commandId: string): Promise<boolean>;
  stop(): void;
}

/** Its failures are told in the log alone; 10 s after each it tries again. */
export function createRegistrar(
  options: Omit<Registration, 'applicationId' | 'registry'> & { registry: CommandRegistry; clock: Clock; log: Log },
): Registrar {
  const { clock, log, ...registration } = options;
  const { registry, guildId } = registration;
  const halt = new AbortController();
  const firstAttempt = Promise.withResolvers<void>();
  /** Ids that are known to be ours. They stay after a deletion: Discord's clients use a deleted command for a while. */
  const own = new Set<string>();
  let isRunning = false;

  async function attempt(applicationId: string): Promise<boolean> {
    try {
      for (const { id } of await registry.list(applicationId)) own.add(id);
      logRegistration(await registerCommands({ ...registration, applicationId }), guildId, log);
      return true;
    } catch (error) {
      if (!halt.signal.aborted)
        log.warn({ reason: messageOf(error) }, 'the slash commands could not be registered; trying again');
      return false;
    } finally {
      firstAttempt.resolve();
    }
  }

  async function run(applicationId: string): Promise<void> {
    while (!halt.signal.aborted && !(await attempt(applicationId))) await clock.sleep(pause, halt.signal);
  }

  async function isStored(commandId: string): Promise<boolean> {
    if (!own.has(commandId) && (await registry.has(commandId))) own.add(commandId);
    return own.has(commandId);
  }

  return {
    start(applicationId) {
      if (isRunning) return;
      isRunning = true;
      void run(applicationId);
    },
    async isOwn(commandId) {
      if (await isStored(commandId)) return true;
      // Commands of an earlier version are ours once the first attempt has stored their ids.
      await settleWithin(adoptionTimeout, clock, firstAttempt.promise);
      return isStored(commandId);
    },
    stop: () => halt.abort(),
  };
}
