import { type Markup, trustedMarkup } from '@tallyhook/platform/texts/markup';
import type { Panel, Reply } from '../../discord/commands/reply.ts';
import type { TextIn } from '../../texts/texts.ts';
import type { ListingRewards } from '../rewards/rules.ts';
import type { ListingMessageContext } from './listing-card.ts';

/** The members and the role of the samples. */
export const [ada, grace, vip] = ['200000000000000001', '200000000000000002', '300000000000000001'];
/** Their names by id. */
export const sampleNames: ReadonlyMap<string, string> = new Map([
  [ada, 'ada'],
  [grace, 'grace'],
  [vip, 'VIP'],
]);

/** With the names of the samples in place of their mentions. */
export function nameSamples(text: string): Markup {
  return trustedMarkup(
    text.replace(/<@&?(\d{1,20})>/g, (mention, id: string) =>
      sampleNames.has(id) ? `@${sampleNames.get(id)}` : mention,
    ),
  );
}

/** An announcement with sample members. */
export interface AnnouncementPreview {
  readonly subject: TextIn<'console.previews'>;
  /** As it is posted. */
  readonly reply: Reply | Panel;
}

export interface PreviewContext extends ListingMessageContext {
  readonly listing: string;
  readonly kind: 'server' | 'bot';
  /** The rules in effect, which decide the amounts. */
  readonly rewards: ListingRewards;
  /** IANA name of the time zone of the community. */
  readonly timeZone: string;
  /** ms since the epoch. */
  readonly now: number;
}

/** The announcements of a style, with sample members. */
export type Preview = (context: PreviewContext) => readonly AnnouncementPreview[];

/** The texts of a message without its title. */
export function textsOf(reply: Reply | Panel): readonly string[] {
  if (!('kind' in reply)) return [reply.text ?? ''];
  return reply.blocks.flatMap((block) => ('text' in block ? [block.text] : []));
}
