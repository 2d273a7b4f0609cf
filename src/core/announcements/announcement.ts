import type { AttemptResult } from '@tallyhook/platform/attempt-result';
import type { Clock } from '@tallyhook/platform/clock';
import { second } from '@tallyhook/platform/durations';
import { escapeName, type Markup, trustedMarkup } from '@tallyhook/platform/texts/markup';
import { settleWithin } from '@tallyhook/platform/with-timeout';
import type { ListedLookup } from '../../discord/commands/command.ts';
import type { ActionTarget, Panel, Reply, ReplyButton } from '../../discord/commands/reply.ts';
import type { FindDeparted } from '../../discord/known-guilds.ts';
import type { ChannelTexts } from '../../discord/languages.ts';
import { postOnce } from '../../discord/posting.ts';
import type { DiscordRest } from '../../discord/rest.ts';
import type { TextIn, Texts } from '../../texts/texts.ts';
import type { AddedValue } from '../added-value.ts';
import type { Effect } from '../outbox/effect-kind.ts';
import type { Handle } from '../outbox/perform.ts';
import type { ListingRewards } from '../rewards/rules.ts';
import type { AnnouncementStyle } from './announcement-style.ts';

/** A listing as the service shows it. */
export interface ListingCard {
  /** The display name of the listing; null if only the configured name is known. */
  readonly name: string | null;
  /** URL of the public page. */
  readonly url: string | null;
  /** The name of the other site that it is on; missing for the service. */
  readonly site?: string | undefined;
  /**
   * The button's target that lists all listings of its community, if there are several; null or missing for the only
   * one.
   */
  readonly list?: ActionTarget | null | undefined;
}

/** Reads a listing's card by its configured name; null if nothing more is known. It may be slow or reject. */
export type CardSource = (name: string) => Promise<ListingCard | null>;

/** The button that leads to the listing, or to all of its community; none if its page is not known. */
export function voteLinks(card: ListingCard | null, label: string): readonly ReplyButton[] {
  if (card?.list) return [{ kind: 'action', ...card.list, label, style: 'primary' }];
  return card?.url ? [{ kind: 'link', label, url: card.url }] : [];
}

const maxNameLength = 60;

/** The display name of a listing, or else the configured name. */
export function listingName(card: ListingCard | null, configuredName: string): Markup {
  return escapeName(card?.name ?? '', maxNameLength) || escapeName(configuredName, maxNameLength);
}

/**
 * The name of the site that it is on; of the service, which has none, the host of its page. Empty if that is not known.
 */
export function siteName(card: ListingCard | null): Markup {
  return escapeName(card?.site ?? URL.parse(card?.url ?? '')?.host ?? '', maxNameLength);
}

/** A listing's name and URL are optional: a message is sent without them after this time (ms). */
const cardTimeoutMs = second / 2;

/** Reads a card; null if it is not known in time. Never rejects. */
export async function readCard(source: CardSource, name: string, clock: Clock): Promise<ListingCard | null> {
  const card = (async () => (await source(name)) ?? undefined)();
  return (await settleWithin(cardTimeoutMs, clock, card)) ?? null;
}

/** Less than a card, so that there is one with what is known (ms). */
const profileTimeoutMs = 0.4 * second;

/**
 * Reads the display name and URL of listings; what is known if a site does not respond in time.
 * @param listOf the `list` of a card
 */
export function createCardSource(
  lookups: {
    readonly find: (listing: string) => ListedLookup | undefined;
    readonly displayName: (listing: string) => string;
  },
  listOf: (listing: string) => ActionTarget | null,
  clock: Clock,
): CardSource {
  return async (name) => {
    const listing = lookups.find(name);
    const profile =
      listing &&
      ((await settleWithin(profileTimeoutMs, clock, listing.lookup.profile()))?.value ??
        (await listing.lookup.cached.profile()));
    return {
      name: lookups.displayName(name),
      url: profile?.url ?? null,
      site: listing?.site?.name,
      list: listOf(name),
    };
  };
}

/** Everything that messages about a listing need. */
export interface ListingMessages {
  readonly rest: DiscordRest;
  readonly clock: Clock;
  /** In the language of the channel. */
  readonly channelTexts: ChannelTexts;
  readonly cardOf: CardSource;
  /** Null for a listing that is not configured any more. */
  readonly announcements: { findStyle(listing: string): AnnouncementStyle | null };
  readonly voteButtons: (texts: Texts) => readonly ReplyButton[];
  readonly findDeparted: FindDeparted;
}

interface ListingMessageContext {
  readonly texts: Texts;
  readonly card: ListingCard | null;
  readonly style: AnnouncementStyle;
  /** The buttons of every announcement of votes. */
  readonly buttons: readonly ReplyButton[];
}

/** A message that is found again in its channel, see {@link postOnce}. */
type PostedMessage = Pick<Parameters<typeof postOnce>[2], 'reply' | 'footers' | 'contains'>;

/** Posts a message about a listing once, in its language and style. */
export async function postAbout(
  { rest, clock, channelTexts, cardOf, announcements, voteButtons }: ListingMessages,
  effect: Effect<{ readonly channelId: string; readonly listing: string }>,
  render: (context: ListingMessageContext) => Promise<PostedMessage>,
): Promise<AttemptResult> {
  const { channelId, listing } = effect.content;
  const style = announcements.findStyle(listing);
  if (style === null) return { outcome: 'bury', reason: `There is no listing "${listing}" in the settings any more.` };
  const [inChannel, card] = await Promise.all([channelTexts(channelId), readCard(cardOf, listing, clock)]);
  const texts = style.language === null ? inChannel : inChannel.languages.for(style.language);
  const message = await render({ texts, card, style, buttons: voteButtons(texts) });
  const posted = await postOnce(rest, clock, { channelId, effect, ...message });
  return 'outcome' in posted ? posted : { outcome: 'done' };
}

type Days = readonly [...Parameters<Texts['days']>];

/** The footer of a message about calendar days, and what it is in all languages, by which the message is found again. */
export function footerOf(days: Days, texts: Texts): { readonly footer: string; readonly footers: readonly string[] } {
  return { footer: texts.days(...days), footers: texts.languages.all().map((each) => each.days(...days)) };
}

/**
 * Posts an announcement about calendar days once, in the language of its channel.
 * @param event nothing is posted if it is switched off by now
 * @param render null if there is nothing to announce any more
 */
export function announceDays<Content extends { readonly channelId: string }>(
  context: Pick<ListingMessages, 'rest' | 'clock' | 'channelTexts'> & {
    readonly announcements: { announces(event: AddedValue<boolean>, channelId: string): boolean };
  },
  event: AddedValue<boolean>,
  render: (
    content: Content,
    texts: Texts,
  ) => Promise<{ readonly days: Days; readonly reply: Reply | Panel; readonly contains?: string } | null>,
): Handle<Content> {
  const { rest, clock, channelTexts, announcements } = context;
  return async (effect) => {
    const { channelId } = effect.content;
    if (!announcements.announces(event, channelId)) return { outcome: 'done' };
    const texts = await channelTexts(channelId);
    const rendered = await render(effect.content, texts);
    if (rendered === null) return { outcome: 'done' };
    const { days, reply, ...sought } = rendered;
    const { footer, footers } = footerOf(days, texts);
    const message = { reply: { ...reply, at: effect.createdAt, footer }, footers, ...sought };
    const posted = await postOnce(rest, clock, { channelId, effect, ...message });
    return 'outcome' in posted ? posted : { outcome: 'done' };
  };
}

/** Our own reasons for a denial, and where their texts are. */
const keys = {
  within_cooldown: 'announcement.reasons.within_cooldown',
  order_revoked: 'announcement.reasons.order_revoked',
  'denied by the service': 'announcement.reasons.denied',
} as const;

/** The key of the text of a reason for a denial, if it is ours; null for one that the service gave. */
export function ownReason(reason: string): (typeof keys)[keyof typeof keys] | null {
  return Object.hasOwn(keys, reason) ? keys[reason as keyof typeof keys] : null;
}

/** The icon of the server in the samples. */
export const sampleIcon = 'https://example.com/icon.png';
/** The members and the role of the samples. */
export const [ada, grace, vip] = ['200000000000000001', '200000000000000002', '300000000000000001'];
/** Names of the samples by id. */
export const sampleNames: ReadonlyMap<string, string> = new Map([
  [ada, 'ada'],
  [grace, 'grace'],
  [vip, 'VIP'],
]);

/** A text with the names of the samples in place of their mentions. */
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
  /** The message as it is posted. */
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
