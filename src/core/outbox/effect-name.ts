import type { Markup } from '../../texts/markup.ts';
import type { Texts } from '../../texts/texts.ts';

/** What a kind of effect is called; another version may have stored one that this version does not know. */
export function effectName(kind: string, { text, has }: Texts): Markup {
  return text(`trace.effects.${has('trace.effects', kind) ? kind : 'unknown'}`);
}
