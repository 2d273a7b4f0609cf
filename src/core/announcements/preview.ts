import type { Panel, Reply } from '../../discord/commands/reply.ts';
import type { Texts } from '../../texts/texts.ts';
import type { ListingMessageContext } from './listing-message.ts';

/** The members and the role of the samples. */
export const [ada, grace, vip] = ['200000000000000001', '200000000000000002', '300000000000000001'];
/** Their names by id. */
export const sampleNames: ReadonlyMap<string, string> = new Map([
  [ada, 'ada'],
  [grace, 'grace'],
  [vip, 'VIP'],
]);

/** An announcement with sample members. */
export interface AnnouncementPreview {
  readonly subject: keyof Texts['console']['previews'];
  /** As it is posted. */
  readonly reply: Reply | Panel;
}

export interface PreviewContext extends ListingMessageContext {
  readonly listing: string;
  readonly kind: 'server' | 'bot';
  /** ms since the epoch. */
  readonly now: number;
}

/** What is announced in this style. */
export type Preview = (context: PreviewContext) => readonly AnnouncementPreview[];
