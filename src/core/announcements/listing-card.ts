import type { ListedLookup } from '../../discord/commands/command.ts';
import type { ActionTarget, ReplyButton } from '../../discord/commands/reply.ts';
import type { Clock } from '../../platform/clock.ts';
import { second } from '../../platform/durations.ts';
import { settleWithin } from '../../platform/with-timeout.ts';
import { escapeName, type Markup } from '../../texts/markup.ts';

/** A listing as the service shows it. */
export interface ListingCard {
  /** The name on the service. */
  readonly name: string | null;
  /** URL of the public page. */
  readonly url: string | null;
  /** The name of the other site that it is on; missing for the service. */
  readonly site?: string | undefined;
  /** What lists all listings of its community, if there are several; null or missing for the only one. */
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

/** The name on the service, or else the configured one. */
export function listingName(card: ListingCard | null, configuredName: string): Markup {
  return escapeName(card?.name ?? '', maxNameLength) || escapeName(configuredName, maxNameLength);
}

/** The name of the site that it is on; of the service, which has none, the host of its page. Empty if that is not known. */
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

/**
 * Reads the listing's name and URL on the service, for announcements.
 * @param listOf the `list` of its card; by default, each listing is the only one
 */
export function createCardSource(
  findLookup: (listing: string) => ListedLookup | undefined,
  listOf: (listing: string) => ActionTarget | null = () => null,
): CardSource {
  return async (name) => {
    const listing = findLookup(name);
    if (listing === undefined) return null;
    const { value } = await listing.lookup.profile();
    return { name: value.name, url: value.url, site: listing.site?.name, list: listOf(name) };
  };
}
