import { isTextIn, type TextKey } from '../../texts/texts.ts';

/** The key of what a kind of effect is called; another version may have stored one that this version does not know. */
export function effectName(kind: string) {
  return `trace.effects.${isTextIn('trace.effects', kind) ? kind : 'unknown'}` as const satisfies TextKey;
}
