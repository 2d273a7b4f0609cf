import type { MemberDataAccess } from '../../../commands/member-data.ts';
import type { FeatureServices, ServicesContext } from '../parts.ts';
import { createMemberDataAccess } from './member-data.ts';
import type { MemberDataStore } from './store.ts';

declare module '../../../commands/context.ts' {
  interface FeatureContext {
    readonly memberData: MemberDataAccess;
  }
}

export function createServices({
  store: { memberData },
  linkedRoles,
  directory,
  clock,
  log,
}: ServicesContext & {
  readonly store: { readonly memberData: MemberDataStore };
  /** Null if they are off. */
  readonly linkedRoles: { readonly unlink: (userId: string) => Promise<boolean> } | null;
}) {
  const longestCooldownMs = () => Math.max(0, ...directory.listings.map(({ rewards }) => rewards.base.cooldownMs));
  const access = createMemberDataAccess({
    longestCooldownMs,
    memberData,
    clock,
    log,
    ...(linkedRoles && { unlink: linkedRoles.unlink }),
  });
  return { commands: { memberData: access } } satisfies FeatureServices;
}
