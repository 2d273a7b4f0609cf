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

export const effects = {
  digest: fieldsFormat<Digest>({ channelId: ['string'], listing: ['string'], from: ['number'], until: ['number'] }),
};
