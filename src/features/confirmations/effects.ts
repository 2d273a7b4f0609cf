import { type EffectKind, fieldsFormat } from '../../core/outbox/effect-kind.ts';

/** Asks the site of a listing whether a member has voted, and then records the vote. */
export interface Confirmation {
  readonly listing: string;
  readonly userId: string;
}

export const confirmationKind: EffectKind<'confirmation', Confirmation> = {
  kind: 'confirmation',
  ...fieldsFormat<Confirmation>({ listing: ['string'], userId: ['string'] }),
  withoutMember: (content, userId) => (content.userId === userId ? null : content),
};
