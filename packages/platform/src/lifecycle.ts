import { TallyhookError } from './errors.ts';
import type { Log } from './log.ts';

type Start = (options?: { listen?: boolean }) => Promise<string | null>;

type Asynchronous<Methods> = Readonly<Record<keyof Methods, (...args: never[]) => Promise<unknown>>>;

/** Warns of what was neither started nor stopped when the process ends by itself. One listener, however many there are. */
const unused = new Set<() => void>();
function warnOfUnused(): void {
  process.off('beforeExit', warnOfUnused);
  for (const warn of unused) warn();
  unused.clear();
}

/** Guards for an app or a receiver: one `start`, one `stop`, and no call after it. */
export function createLifecycle({ name, log }: { readonly name: 'app' | 'receiver'; readonly log: Log }) {
  let isStarted = false;
  let isClosed = false;
  let stopped: Promise<void> | undefined;

  const warn = () =>
    log.warn({ hint: `Call ${name}.start(), or ${name}.stop() when done.` }, `the ${name} was never started`);
  if (unused.size === 0) process.on('beforeExit', warnOfUnused);
  unused.add(warn);
  function use(): void {
    unused.delete(warn);
    if (unused.size === 0) process.off('beforeExit', warnOfUnused);
  }

  return {
    /**
     * Rejects a second start with `already_started`, unless the first one failed, and one after {@link stopOnce} with
     * `already_stopped`.
     */
    startOnce(start: Start): Start {
      return async (options) => {
        if (stopped !== undefined)
          throw new TallyhookError('already_stopped', `The ${name} was stopped.`, {
            hint: 'It cannot be started again: create another one.',
          });
        if (isStarted)
          throw new TallyhookError('already_started', 'It was started before.', {
            hint: 'Call start once. After stop, create another one.',
          });
        isStarted = true;
        use();
        try {
          const address = await start(options);
          if (stopped !== undefined) log.info(`the ${name} was stopped while it started`);
          return address;
        } catch (error) {
          isStarted = false;
          throw error;
        }
      };
    },
    /** Calls it at most once. `isStopping` from then on. */
    stopOnce: (stop: () => Promise<void>) => (): Promise<void> => {
      use();
      stopped ??= stop();
      return stopped;
    },
    isStopping: () => stopped !== undefined,
    /** The methods of an object, which reject with `already_stopped` after `close`. */
    whileOpen<Methods extends Asynchronous<Methods>>(methods: Methods): Methods {
      const guarded = Object.entries<(...args: never[]) => Promise<unknown>>(methods).map(([method, call]) => [
        method,
        async (...args: never[]) => {
          if (isClosed) {
            throw new TallyhookError('already_stopped', `It was stopped, so ${method} has no database any more.`, {
              hint: 'Call stop last.',
            });
          }
          return call(...args);
        },
      ]);
      return Object.fromEntries(guarded);
    },
    close(): void {
      isClosed = true;
    },
  };
}
