import { fieldsFormat } from '../../core/outbox/effect-kind.ts';

declare module '../../core/outbox/effect-contents.ts' {
  interface EffectContents {
    readonly confirmation: Confirmation;
  }
}

/** Asks the site of a listing whether a member has voted, and then records the vote. */
export interface Confirmation {
  readonly listing: string;
  readonly userId: string;
}

export const effects = {
  confirmation: {
    ...fieldsFormat<Confirmation>({ listing: ['string'], userId: ['string'] }),
    withoutMember: (content: Confirmation, userId: string) => (content.userId === userId ? null : content),
  },
};
