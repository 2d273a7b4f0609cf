/**
 * The parts of tallyhook that a process runs. `receive`: the webhooks. `announce`: the outbox and everything that fills
 * it by time. `answer`: commands and components.
 */
export const roles = ['receive', 'announce', 'answer'] as const;

/** A part of tallyhook that a process runs. @category Start here */
export type Role = (typeof roles)[number];

/** Whether any of these roles talks to Discord and to the listing service. */
export function needsDiscord(active: readonly Role[]): boolean {
  return active.some((role) => role !== 'receive');
}

/** The active roles; all, unless `TALLYHOOK_ROLES` has a valid value. */
export function rolesOf({
  TALLYHOOK_ROLES,
}: {
  readonly TALLYHOOK_ROLES: readonly Role[] | undefined;
}): readonly Role[] {
  return TALLYHOOK_ROLES ?? roles;
}
