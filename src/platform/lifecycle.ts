import { TallyhookError } from './errors.ts';

type Start = (options?: { listen?: boolean }) => Promise<string | null>;

type Asynchronous<Methods> = Readonly<Record<keyof Methods, (...args: never[]) => Promise<unknown>>>;

/** What may be called when, for the users of an app or a receiver. */
export function createLifecycle() {
  let isStarted = false;
  let isClosed = false;
  let stopped: Promise<void> | undefined;

  return {
    /** Rejects a second start with `already_started`, unless the first one failed. */
    startOnce(start: Start): Start {
      return async (options) => {
        if (isStarted && !isClosed) {
          throw new TallyhookError('already_started', 'It was started before.', {
            hint: 'Call start once. After stop, create another one.',
          });
        }
        isStarted = true;
        try {
          return await start(options);
        } catch (error) {
          isStarted = false;
          throw error;
        }
      };
    },
    /** Calls it at most once. `isStopping` from then on. */
    stopOnce: (stop: () => Promise<void>) => (): Promise<void> => {
      stopped ??= stop();
      return stopped;
    },
    isStopping: () => stopped !== undefined,
    /** The methods of an object, which reject with `already_stopped` after `close`. */
    whileOpen<Methods extends Asynchronous<Methods>>(methods: Methods): Methods {
      const guarded = Object.entries<(...args: never[]) => Promise<unknown>>(methods).map(([name, method]) => [
        name,
        async (...args: never[]) => {
          if (isClosed) {
            throw new TallyhookError('already_stopped', `It was stopped, so ${name} has no database any more.`, {
              hint: 'Call stop last.',
            });
          }
          return method(...args);
        },
      ]);
      return Object.fromEntries(guarded);
    },
    close(): void {
      isClosed = true;
    },
  };
}
