import { isOfRole } from '../../outbox/role-queue.ts';
import type { OpenCircuit } from './circuit-store.ts';

/** How many channels and roles Discord rejects. */
export function countStops(open: readonly Pick<OpenCircuit, 'queue'>[]): { channels: number; roles: number } {
  const roles = open.filter(({ queue }) => isOfRole(queue)).length;
  return { channels: open.length - roles, roles };
}
