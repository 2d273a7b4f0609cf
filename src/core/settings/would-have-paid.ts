import type { Markup } from '@tallyhook/platform/texts/markup';
import type { Texts } from '../../texts/texts.ts';

/** What the rules would have paid in the last 30 days, now and before the change (credits). */
export function wouldHavePaid(
  { before, after }: { readonly before: number; readonly after: number },
  { text }: Texts,
): Markup {
  return text('setup.saved.wouldHavePaid', { after: text('parts.credits', { count: after }), before });
}
