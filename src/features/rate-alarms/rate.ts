import { day, hour } from '@tallyhook/platform/durations';

/** The votes of a listing by the hour, and what its owner is to decide. Times are ms since the epoch. */
export interface Rate {
  /** The hour that is counted now (hours since the epoch), and its paid votes. */
  readonly hour: number;
  readonly votes: number;
  /** Votes of a usual hour, in thousandths: a mean of this many earlier hours with votes. */
  readonly usual: number;
  readonly hours: number;
  /** `held`: until the owner decides; `releasing`, `rejecting`: the decision is being carried out. Null: neither. */
  readonly state: RateState | null;
  /** When the votes were held, or null. */
  readonly held_at: number | null;
  /** Until then, the owner expects many votes; null for never. */
  readonly expected_until: number | null;
  /**
   * The last delivery that is being rejected; null for all. The owner has not seen later ones, of which some may be genuine:
   * the secret may have been replaced since.
   */
  readonly rejected_until: number | null;
}

export type RateState = 'held' | 'releasing' | 'rejecting';

/** Votes in an hour that are never too many: a small or new listing has no usual hour yet. */
const minLimit = 50;
const factor = 10;
/** The mean is that of about a week, if there are votes at every hour. */
const maxHours = 7 * 24;
/** After a release, votes are not held for this time: more of them are expected (ms). */
const expectedMs = day;

/** The rate of a listing without votes. */
export const noRate: Rate = {
  ...{ hour: 0, votes: 0, usual: 0, hours: 0 },
  ...{ state: null, held_at: null, expected_until: null, rejected_until: null },
};

/** How many votes of a listing are paid in an hour. */
function limitOf({ usual }: Pick<Rate, 'usual'>): number {
  return Math.max(minLimit, Math.floor((factor * usual) / 1_000));
}

/** Whether further votes are held: also while those before are being rejected, because the flood may go on. */
export function isHeld({ state }: Pick<Rate, 'state'>): boolean {
  return state === 'held' || state === 'rejecting';
}

/** The rate with one more vote of this time; without it, and held, if it is one too many. */
export function addVote<Row extends Rate>(rate: Row, at: number): Row {
  if (isHeld(rate)) return rate;
  const now = Math.floor(at / hour);
  // The clock of another process may be a little behind.
  const isSameHour = now === rate.hour || now === rate.hour - 1;
  const current = isSameHour ? rate : { ...rate, ...withHour(rate), hour: now, votes: 0 };
  const isTooMany = current.votes >= limitOf(current);
  if (isTooMany && current.state === null && at >= (current.expected_until ?? 0))
    return { ...current, state: 'held', held_at: at };
  return { ...current, votes: current.votes + 1 };
}

/** The mean with the hour that has ended. */
function withHour({ votes, usual, hours }: Rate): Pick<Rate, 'usual' | 'hours'> {
  if (votes === 0) return { usual, hours };
  const number = Math.min(hours + 1, maxHours);
  return { hours: number, usual: Math.round(usual + (1_000 * votes - usual) / number) };
}

/** What a decision of the owner changes. @param now ms since the epoch */
export function decided(decision: 'release' | 'reject', now: number) {
  return decision === 'release'
    ? ({ state: 'releasing', expected_until: now + expectedMs } as const)
    : ({ state: 'rejecting' } as const);
}

/**
 * What ends a decision that is carried out: votes that were held meanwhile are the next ones to decide.
 * @param now ms since the epoch
 */
export function ended({ state, votes }: Pick<Rate, 'state' | 'votes'>, areSomeHeld: boolean, now: number) {
  if (areSomeHeld) return { state: 'held', held_at: now, rejected_until: null } as const;
  return { state: null, held_at: null, rejected_until: null, votes: state === 'rejecting' ? 0 : votes } as const;
}
