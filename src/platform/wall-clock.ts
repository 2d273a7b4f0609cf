/** The time of this machine alone, for what also runs outside of Node. */
export const wallClock = {
  /** Ms since the epoch. */
  now: (): number => Date.now(),
};
