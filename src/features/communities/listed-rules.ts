import type { Milestone } from '../../core/rewards/rules.ts';
import type { ListingKind } from '../../lookup/lookup.ts';

/** The rules of a listing that members see. @category Commands */
export interface ListedRules {
  /** The configured name. */
  readonly name: string;
  /** All names of the server or bot, if it has several: a vote for one is a vote for all. @internal */
  readonly names?: readonly string[];
  readonly kind: ListingKind;
  /** How long a vote blocks the next one (ms). */
  readonly cooldownMs: number;
  readonly milestones: readonly Milestone[];
}
