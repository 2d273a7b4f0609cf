import { fieldsFormat } from '../../core/outbox/effect-kind.ts';

declare module '../../core/outbox/effect-contents.ts' {
  interface EffectContents {
    readonly roleConnection: RoleConnection;
  }
}

/** Updates what Discord knows of a member for linked roles. The values are read when it is carried out. */
export interface RoleConnection {
  readonly userId: string;
}

export const effects = { roleConnection: fieldsFormat<RoleConnection>({ userId: ['string'] }) };
