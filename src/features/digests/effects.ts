import { type EffectKind, fieldsFormat } from '../../core/outbox/effect-kind.ts';

/** Summarises the votes that a listing received in a period (ms since the epoch, `until` exclusive). */
export interface Digest {
  readonly channelId: string;
  readonly listing: string;
  readonly from: number;
  readonly until: number;
}

export const digestKind: EffectKind<'digest', Digest> = {
  kind: 'digest',
  ...fieldsFormat<Digest>({ channelId: ['string'], listing: ['string'], from: ['number'], until: ['number'] }),
};
