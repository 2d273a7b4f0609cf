import type { Markup } from '@tallyhook/platform/texts/markup';
import type { Texts } from '../texts/texts.ts';
import type { Community } from './communities/feature.ts';
import { currentPrizes } from './prizes/feature.ts';
import { currentRaffle } from './raffles/feature.ts';

/** Lines for the prizes and the raffle that can be won now, with the time until which votes count. */
export function seasonLines(
  { listings, timeZone }: Pick<Community, 'listings' | 'timeZone'>,
  texts: Texts,
  now: number,
): readonly Markup[] {
  return [currentPrizes, currentRaffle].flatMap((current) => current(listings, timeZone, texts, now));
}
