import { type EffectKind, fieldsFormat } from '../../core/outbox/effect-kind.ts';

/** Updates what Discord knows of a member with linked roles. */
export interface RoleConnectionUpdate {
  readonly userId: string;
}

export const roleConnectionKind: EffectKind<'roleConnection', RoleConnectionUpdate> = {
  kind: 'roleConnection',
  ...fieldsFormat<RoleConnectionUpdate>({ userId: ['string'] }),
};
