import { fieldsFormat } from '../../core/outbox/effect-kind.ts';

declare module '../../core/outbox/effect-contents.ts' {
  interface EffectContents {
    readonly digest: Digest;
  }
}

/** Summarises the votes that a listing received in a period (ms since the epoch, `until` exclusive). */
export interface Digest {
  readonly channelId: string;
  readonly listing: string;
  readonly from: number;
  readonly until: number;
}

/** What a listing received in a period. */
export interface DigestContent {
  /** Counted votes, and distinct voters. */
  readonly votes: number;
  readonly voters: number;
  /** All that the votes earned (credits). */
  readonly credits: number;
  /** The voters with the most votes, at most 5, most first. */
  readonly top: readonly { readonly userId: string; readonly votes: number }[];
  /** Who reached how many votes, at most 5, and how many others. */
  readonly milestones: readonly { readonly userId: string; readonly votes: number }[];
  readonly moreMilestones: number;
}

export const effects = {
  digest: fieldsFormat<Digest>({ channelId: ['string'], listing: ['string'], from: ['number'], until: ['number'] }),
};
