import { type Markup, markup } from '@tallyhook/platform/texts/markup';

/** Before a member of the first three ranks; null for all others. Members with the same rank have the same medal. */
export function medalOf(rank: number): Markup | null {
  return medals[rank - 1] ?? null;
}

const medals: readonly Markup[] = [markup`🥇`, markup`🥈`, markup`🥉`];
