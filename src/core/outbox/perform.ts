import type { AttemptResult } from '@tallyhook/platform/attempt-result';
import { messageOf } from '@tallyhook/platform/errors';
import type { ClaimedEffect, Effect, Perform } from './effect.ts';
import type { EffectKind } from './effect-contents.ts';

/** Carries out effects of one kind. An error counts as a failure of these effects alone, with an unknown result. */
export type EffectHandlers = {
  /** The announcements of one message, which share channel and nonce. */
  readonly announcement: (effects: readonly Effect<'announcement'>[]) => Promise<AttemptResult>;
} & { readonly [Kind in Exclude<EffectKind, 'announcement'>]?: (effect: Effect<Kind>) => Promise<AttemptResult> };

/** Passes claimed effects to the handler of their kind. Buries those that cannot be read or have no handler. */
export function createPerform(handlers: Partial<EffectHandlers>): Perform {
  const { announcement } = handlers;

  async function performOne(effect: Exclude<ClaimedEffect, Effect<'announcement'>>): Promise<AttemptResult> {
    if (effect.kind === 'unreadable') return { outcome: 'bury', reason: effect.reason };
    // TypeScript does not relate the kind of an effect to the parameter of its handler.
    const handler = handlers[effect.kind] as ((each: typeof effect) => Promise<AttemptResult>) | undefined;
    return handler?.(effect) ?? withoutHandler(effect);
  }

  return async (effects) => {
    const announcements = effects.filter((effect) => effect.kind === 'announcement');
    const [other] = effects.filter((effect) => effect.kind !== 'announcement');
    try {
      if (other !== undefined) return await performOne(other);
      const [first] = announcements;
      return (
        (await announcement?.(announcements)) ?? (first === undefined ? { outcome: 'done' } : withoutHandler(first))
      );
    } catch (error) {
      return { outcome: 'later', reason: `unexpected error: ${messageOf(error)}`, scope: 'effects' };
    }
  };
}

function withoutHandler({ kind }: ClaimedEffect): AttemptResult {
  return { outcome: 'bury', reason: `This version does not carry out effects of the kind "${kind}".` };
}
