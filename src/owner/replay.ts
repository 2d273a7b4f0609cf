import { randomUUID } from 'node:crypto';
import { formatCount } from '@tallyhook/platform/durations';
import { HttpError } from '@tallyhook/platform/web/http-error';
import type { EffectRecord } from '../core/records/records.ts';
import { findDelivery } from '../features/traces/delivery-details.ts';
import type { OwnerContext } from './context.ts';
import type { CorrectionRequest } from './request-schemas.ts';

/** Processes a quarantined delivery again. For any other delivery the outcome is `duplicate`. @throws HttpError 404 */
export async function replayDelivery(context: OwnerContext, id: number, author: string) {
  const { outcome, reason, credits } = await context.replay(await findDelivery(context, id));
  context.log.info({ delivery: id, outcome, author }, 'owner replayed a delivery');
  return { outcome, reason, credits };
}

/** Requeues a buried effect as if it were new. @throws HttpError 404, and 409 if the effect is not buried */
export async function replayEffect(context: OwnerContext, id: number, author: string): Promise<EffectRecord> {
  const result = await context.outbox.requeue(id, context.clock.now());
  const effect = await findEffect(context, id);
  if (result !== 'revived') {
    throw new HttpError(409, `Effect ${id} is ${effect.state}. Only a buried effect can be replayed.`);
  }
  context.log.info({ effect: id, author }, 'owner replayed an effect');
  context.nudge(effect.queue);
  return effect;
}

/** @throws HttpError 404 */
export async function findEffect({ records }: OwnerContext, id: number): Promise<EffectRecord> {
  const effect = await records.effect(id);
  if (effect === null) throw new HttpError(404, `Effect ${id} does not exist.`);
  return effect;
}

/**
 * Corrects a member's account with an additional entry.
 * @param by `idempotencyKey`: a repeat with the same key changes nothing; null for a correction that cannot be repeated
 * @returns the new balance (credits), whether it was a repeat, and the current time (ms since the epoch)
 * @throws HttpError 409 for an overdraft, and for a key that was used for another correction
 * @throws the errors of {@link Recordings}
 */
export async function correct(
  { recorder, communities, clock, log }: OwnerContext,
  userId: string,
  { credits, reason, guildId }: CorrectionRequest,
  { idempotencyKey, author }: { readonly idempotencyKey: string | null; readonly author: string },
): Promise<{ readonly balance: number; readonly repeated: boolean; readonly at: number }> {
  const at = clock.now();
  const { id: communityId, guildId: guild } = communities.at(guildId ?? null);
  const result = await recorder.correct(
    { userId, communityId, credits, reason, at, author },
    idempotencyKey ?? randomUUID(),
  );
  switch (result.outcome) {
    case 'corrected': {
      const { balance, repeated } = result;
      log.info(
        { user: userId, ...(guild && { guild }), credits, balance, repeated, author },
        'owner corrected an account',
      );
      return { balance, repeated, at };
    }
    case 'overdrawn':
      throw overdraftError(result.balance);
    case 'refunded':
    case 'key_reused':
      throw new HttpError(
        409,
        'This Idempotency-Key was used for another correction. Use a new key for each correction.',
      );
  }
}

/** @param balance credits */
function overdraftError(balance: number): HttpError {
  return new HttpError(
    409,
    `The account has ${formatCount(balance, 'credit')}. A correction cannot take more than the balance.`,
  );
}
