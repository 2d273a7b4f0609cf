import type { RequestHandler } from 'express';
import type { Encryption } from '../../platform/encryption/encryption.ts';
import type { FeatureParts, PartsContext, ServicesContext } from '../parts.ts';
import { createLinkedRolesService, type LinkedRolesService } from './create.ts';
import type { LinkedMembers } from './store.ts';

export function createServices({
  store,
  config,
  nudge,
  ...context
}: ServicesContext & {
  readonly store: { readonly linkedRoles: LinkedMembers };
  readonly encryption: Encryption;
}): { readonly shared: { readonly linkedRoles: LinkedRolesService | null }; readonly routes?: RequestHandler } {
  const linkedRoles = createLinkedRolesService(config, {
    ...context,
    members: store.linkedRoles,
    nudge: (queue) => nudge([queue]),
  });
  return { shared: { linkedRoles }, ...(linkedRoles && { routes: linkedRoles.routes }) };
}

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
