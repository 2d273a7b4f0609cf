import type { RewardEntry } from './reward.ts';

/** Credits that a counted vote wins by chance, beside all others of its listing. */
export interface Luck {
  /** From 0 to 1. */
  readonly chance: number;
  readonly credits: number;
  /** Shown to members, and unique among those of a listing: it decides, so the place in the list does not matter. */
  readonly name: string;
}

/** A number from 0 to below 1 for a name, always the same one for the same vote. */
export type Draw = (name: string) => number;

/** The entries of what a vote wins. */
export function luckEntries(luck: readonly Luck[], draw: Draw): RewardEntry[] {
  return luck
    .filter(({ chance, name }) => draw(name) < chance)
    .map(({ credits, name }) => ({ cause: 'luck', credits, reason: name, achievement: null }));
}
