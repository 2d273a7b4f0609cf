import type { Markup } from '@tallyhook/platform/texts/markup';
import type { Texts } from '../../texts/texts.ts';

/** @param price in credits */
export function priceText(price: number, { text }: Pick<Texts, 'text'>): Markup {
  return price === 0 ? text('shop.free') : text('parts.credits', { count: price });
}
