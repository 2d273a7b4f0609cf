import type { Command, Services } from '../../commands/command.ts';
import { type Clock, second } from '../clock.ts';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import { registerCommands } from './registration.ts';
import type { DiscordRest } from './rest.ts';

/** How long to wait with the next try (ms). */
const pause = 10 * second;

/** Registers the slash commands once Discord is there, and tries again while that fails. */
export interface Registrar {
  /** Does its work once, however often it is started. */
  start(applicationId: string): void;
  stop(): void;
}

/** Its failures are told in the log alone; 10 s after each it tries again. */
export function createRegistrar(options: {
  rest: DiscordRest;
  /** Null registers for every guild. */
  guildId: string | null;
  commands: readonly Command[];
  services: Services;
  clock: Clock;
  log: Log;
}): Registrar {
  const { clock, log, ...registration } = options;
  const halt = new AbortController();
  let isRunning = false;

  async function run(applicationId: string): Promise<void> {
    while (!halt.signal.aborted) {
      try {
        log.info({ commands: await registerCommands({ ...registration, applicationId }) }, 'slash commands');
        return;
      } catch (error) {
        log.warn({ reason: messageOf(error) }, 'the slash commands could not be registered; trying again');
        await clock.sleep(pause, halt.signal);
      }
    }
  }

  return {
    start(applicationId) {
      if (isRunning) return;
      isRunning = true;
      void run(applicationId);
    },
    stop: () => halt.abort(),
  };
}
