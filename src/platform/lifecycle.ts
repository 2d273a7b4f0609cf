import { TallyhookError } from './errors.ts';

/** What may be called when, for the users of an app or a receiver. */
export interface Lifecycle {
  /** Rejects a second start with `already_started`, unless the first one failed. */
  startOnce(start: Start): Start;
  /** Calls it at most once. {@link isStopping} from then on. */
  stopOnce(stop: () => Promise<void>): () => Promise<void>;
  isStopping(): boolean;
  /** The methods of an object, which reject with `already_stopped` after {@link close}. */
  whileOpen<Methods extends Asynchronous<Methods>>(methods: Methods): Methods;
  close(): void;
}

type Start = (options?: { listen?: boolean }) => Promise<string | null>;

type Asynchronous<Methods> = Readonly<Record<keyof Methods, (...args: never[]) => Promise<unknown>>>;

export function createLifecycle(): Lifecycle {
  let isStarted = false;
  let isClosed = false;
  let stopped: Promise<void> | undefined;

  return {
    startOnce(start) {
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
    stopOnce: (stop) => () => {
      stopped ??= stop();
      return stopped;
    },
    isStopping: () => stopped !== undefined,
    whileOpen(methods) {
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
    close() {
      isClosed = true;
    },
  };
}
