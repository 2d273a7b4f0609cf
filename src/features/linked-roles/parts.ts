import type { Encryption } from '../../platform/encryption/encryption.ts';
import type { FeatureParts, FeatureServices, PartsContext, ServicesContext } from '../parts.ts';
import { createLinkedRolesService } from './create.ts';
import type { LinkedMembers } from './store.ts';

export function createServices(
  context: ServicesContext & {
    readonly store: { readonly linkedRoles: LinkedMembers };
    readonly encryption: Encryption;
  },
) {
  const linkedRoles = createLinkedRolesService(context.config, { ...context, members: context.store.linkedRoles });
  return { shared: { linkedRoles }, ...(linkedRoles && { routes: linkedRoles.routes }) } satisfies FeatureServices;
}

export function create({
  linkedRoles,
}: PartsContext & {
  /** Null if they are off. */
  readonly linkedRoles: ReturnType<typeof createLinkedRolesService>;
}) {
  return {
    // After they were switched off, there is nothing to do.
    effects: { roleConnection: linkedRoles?.update ?? (async () => ({ outcome: 'done' })) },
    loops: linkedRoles === null ? [] : [linkedRoles],
  } satisfies FeatureParts;
}
