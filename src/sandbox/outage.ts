import type { Clock } from '../platform/clock.ts';

/** Something that can be taken down for a while. */
export interface Outage {
  readonly isDown: boolean;
  /** Takes it down for `ms` of real time; one that is down already stays so until the later end. */
  begin(ms: number): void;
  end(): void;
}

/**
 * @param set takes it down or up
 * @param told after each change
 */
export function createOutage(options: {
  setDown: (isDown: boolean) => void;
  onChange: (isDown: boolean) => void;
  stopwatch: Clock;
  stopped: AbortSignal;
}): Outage {
  const { setDown, onChange, stopwatch, stopped } = options;
  let endsAt: number | null = null;

  async function endLater(ms: number): Promise<void> {
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
      // A timer may be a millisecond early.
      void endLater(ms + 2);
    },
    end,
  };
}
