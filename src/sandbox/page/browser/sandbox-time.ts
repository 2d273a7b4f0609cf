/** The sandbox clock as the page knows it. */
export interface SandboxTime {
  /** The current time in the sandbox (ms since the epoch). */
  now(): number;
  /** How far it is ahead of the system clock (ms). */
  offsetMs(): number;
  /** Synchronizes with the server. @param time `now` in ms since the epoch */
  set(time: { readonly now: number; readonly speed: number }): void;
}

export function createSandboxTime(): SandboxTime {
  let reference = { now: 0, speed: 1, at: 0 };
  const now = () => reference.now + (performance.now() - reference.at) * reference.speed;
  return {
    now,
    offsetMs: () => now() - (performance.timeOrigin + performance.now()),
    set(time) {
      reference = { now: time.now, speed: time.speed, at: performance.now() };
    },
  };
}
