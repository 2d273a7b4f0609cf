import type { MemberRole } from '../../core/outbox/effect-contents.ts';
import { type MessageType, roleFields } from '../../core/outbox/effect-kind.ts';

/** A role could not be added or removed, with the reason and a hint in words. */
export interface RoleFailureReport extends MemberRole {
  readonly reason: string;
  /** The code of the reason, from which each language words it: `role_too_high`. */
  readonly cause: string;
  /** It could not be removed. */
  readonly isRemoval?: true;
}

export const roleFailedReport: MessageType<'roleFailed', RoleFailureReport> = {
  type: 'roleFailed',
  fields: { ...roleFields, reason: ['string'], cause: ['string'] },
};
