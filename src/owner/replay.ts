import type { EffectRecord } from '../core/records/records.ts';
import { findDelivery } from '../features/traces/delivery-details.ts';
import { HttpError } from '../platform/web/http-error.ts';
import type { OwnerContext } from './context.ts';

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
