import type { OwnerContext } from './context.ts';
import { findDelivery } from './get-delivery.ts';
import { HttpError } from './http-error.ts';
import type { EffectRecord } from './records.ts';

/** Reads a quarantined delivery once more. One that is dealt with is a duplicate of itself. @throws Refused 404 */
export async function replayDelivery(services: OwnerContext, id: number) {
  const { outcome, reason, credits } = await services.replay(await findDelivery(services, id));
  services.log.info({ delivery: id, outcome }, 'the owner replayed a delivery');
  return { outcome, reason, credits };
}

/** Lets a buried effect wait again, as if it were new. @throws Refused 404, and 409 for one that is not buried */
export async function replayEffect(services: OwnerContext, id: number): Promise<EffectRecord> {
  const revived = await services.actions.requeueEffect(id, services.clock.now());
  const effect = await findEffect(services, id);
  if (revived !== 'revived')
    throw new HttpError(409, `Effect ${id} is ${effect.state}. Only a buried one can be replayed.`);
  services.log.info({ effect: id }, 'the owner replayed an effect');
  services.nudge();
  return effect;
}

/** @throws Refused 404 */
export async function findEffect({ records }: OwnerContext, id: number): Promise<EffectRecord> {
  const effect = await records.effect(id);
  if (effect === null) throw new HttpError(404, `There is no effect ${id}.`);
  return effect;
}
