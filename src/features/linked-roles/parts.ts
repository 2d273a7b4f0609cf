import type { FeatureParts, PartsContext } from '../parts.ts';
import type { LinkedRolesService } from './create.ts';

export function create({
  linkedRoles,
}: PartsContext & {
  /** Null if they are off. */
  readonly linkedRoles: Pick<LinkedRolesService, 'update' | 'start' | 'stop'> | null;
}) {
  return {
    // After they were switched off, there is nothing to do.
    effects: { roleConnection: linkedRoles?.update ?? (async () => ({ outcome: 'done' })) },
    loops: linkedRoles === null ? [] : [linkedRoles],
  } satisfies FeatureParts;
}
