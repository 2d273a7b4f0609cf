/** The desired state of one role of one member for one source. A member has a role while any of its grants lasts. */
export interface Grant {
  readonly userId: string;
  /** Discord ID of the role. */
  readonly role: string;
  /**
   * The reason of the role: `voter`, `milestone`, or `premium` and the ID of the order. One row per user, role, source
   * and guild.
   */
  readonly source: string;
  /** End (ms since the epoch), exclusive; null if it does not end. A time that has passed removes the role. */
  readonly until: number | null;
  /**
   * How it changes a stored grant of the same user, role and source: `extend` keeps the later end, `replace` sets this
   * one.
   */
  readonly change: 'extend' | 'replace';
}

/** A role of a member in a guild (Discord IDs). */
export type GrantedRole = Pick<StoredGrant, 'userId' | 'role' | 'guildId'>;

/**
 * The end that is stored after a grant (ms since the epoch; null if it does not end).
 * @param stored the grant's row, if any
 */
export function endAfter(stored: Pick<Grant, 'until'> | null, { until, change }: Grant): number | null {
  if (stored === null || change === 'replace') return until;
  return stored.until === null || until === null ? null : Math.max(stored.until, until);
}

/**
 * How far Discord matches a grant: `pending` while an effect is to make it so, `applied` when it does, `parked` when it
 * cannot for now.
 */
export type GrantState = 'pending' | 'applied' | 'parked';

/** A grant as it is stored, one per user, role, source and guild. */
export interface StoredGrant extends Omit<Grant, 'change'> {
  readonly guildId: string;
  readonly state: GrantState;
}
