import type { Desk } from './desk.ts';
import type { EffectRecord } from './records.ts';
import { Refused } from './refused.ts';
import { findDelivery } from './tell-delivery.ts';

/** Reads a quarantined delivery once more. One that is dealt with is a duplicate of itself. @throws Refused 404 */
export async function replayDelivery(desk: Desk, id: number) {
  const { outcome, reason, credits } = await desk.replay(await findDelivery(desk, id));
  desk.log.info({ delivery: id, outcome }, 'the owner replayed a delivery');
  return { outcome, reason, credits };
}

/** Lets a buried effect wait again, as if it were new. @throws Refused 404, and 409 for one that is not buried */
export async function replayEffect(desk: Desk, id: number): Promise<EffectRecord> {
  const revived = await desk.acts.revive(id, desk.clock.now());
  const effect = await findEffect(desk, id);
  if (revived !== 'revived')
    throw new Refused(409, `Effect ${id} is ${effect.state}. Only a buried one can be replayed.`);
  desk.log.info({ effect: id }, 'the owner replayed an effect');
  desk.nudge();
  return effect;
}

/** @throws Refused 404 */
export async function findEffect({ records }: Desk, id: number): Promise<EffectRecord> {
  const effect = await records.effect(id);
  if (effect === null) throw new Refused(404, `There is no effect ${id}.`);
  return effect;
}
