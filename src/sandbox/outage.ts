import type { Clock } from '../platform/clock.ts';

/** Makes a part of the sandbox unreachable for a while. */
export interface OutageSwitch {
  readonly isDown: boolean;
  /** Starts an outage of `ms` (real time). During an outage it extends the outage if the new end is later. */
  begin(ms: number): void;
  end(): void;
}

/**
 * @param options.setDown starts or ends the outage
 * @param options.onChange called after each change
 */
export function createOutageSwitch(options: {
  setDown: (isDown: boolean) => void;
  onChange: (isDown: boolean) => void;
  stopwatch: Clock;
  stopped: AbortSignal;
}): OutageSwitch {
  const { setDown, onChange, stopwatch, stopped } = options;
  let endsAt: number | null = null;

  async function endAfter(ms: number): Promise<void> {
    await stopwatch.sleep(ms, stopped);
    if (!stopped.aborted && endsAt !== null && stopwatch.monotonic() >= endsAt) end();
  }

  function end(): void {
    if (endsAt === null) return;
    endsAt = null;
    setDown(false);
    onChange(false);
  }

  return {
    get isDown() {
      return endsAt !== null;
    },
    begin(ms) {
      const wasDown = endsAt !== null;
      endsAt = Math.max(endsAt ?? 0, stopwatch.monotonic() + ms);
      if (!wasDown) {
        setDown(true);
        onChange(true);
      }
      // Timers can fire up to 1 ms early.
      void endAfter(ms + 2);
    },
    end,
  };
}
