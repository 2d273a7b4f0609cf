import type { Markup } from '@tallyhook/platform/texts/markup';
import type { Texts } from '../../texts/texts.ts';

/** The name of a kind of effect in the language of the texts; a general one for a kind of another version. */
export function effectName(kind: string, { text, has }: Texts): Markup {
  return text(`trace.effects.${has('trace.effects', kind) ? kind : 'unknown'}`);
}
