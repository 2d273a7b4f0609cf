import type { Clock } from '@tallyhook/platform/clock';
import { memoizeByIdentity } from '@tallyhook/platform/memoize';
import { bold, escapeName, type Markup, markup } from '@tallyhook/platform/texts/markup';
import { plainName } from '@tallyhook/platform/truncate';
import { settleWithin } from '@tallyhook/platform/with-timeout';
import type { BotProfile, ServerProfile } from '../../lookup/lookup.ts';
import type { Texts } from '../../texts/texts.ts';
import type { ListedLookup } from './command.ts';
import type { ReplyButton } from './reply.ts';

/** Longer names are truncated (characters). */
const maxNameLength = 100;

/** The name by which people know a listing, as far as it is known now. External text. */
export const displayNameOf = ({ name, displayName = () => name }: ListedLookup): string => displayName();

/** The name of a listing by its profile, for messages. */
export const listingName = memoizeByIdentity(
  (profile: ServerProfile | BotProfile, texts: Texts): Markup =>
    escapeName(profile.name, maxNameLength) || texts.text(`listing.unnamed.${profile.kind}`),
);

/** The page only adds a name and a link, so a reply does not wait longer than this for it (ms). */
const timeoutMs = 600;

/** The public page of a listing. */
export interface ListingPage {
  readonly name: Markup;
  /** The name for places without markup; empty for a listing without a name. */
  readonly plainName: string;
  readonly url: string | null;
}

interface PageContext {
  readonly texts: Texts;
  readonly clock: Clock;
}

/** The page of a listing, without the URL if the profile is not available in time. */
export async function fetchListingPage(listed: ListedLookup, { texts, clock }: PageContext): Promise<ListingPage> {
  const { lookup } = listed;
  const profile = (await settleWithin(timeoutMs, clock, lookup.profile()))?.value ?? (await lookup.cached.profile());
  return profile ? listingPage(profile, texts) : unknownPage(listed, texts);
}

/** The page of a listing by its configured name, which may be one that there is not any more. */
export async function findListingPage(
  name: string,
  {
    listings,
    displayName,
    ...context
  }: PageContext & {
    readonly listings: readonly ListedLookup[];
    readonly displayName: (listing: string) => string;
  },
): Promise<ListingPage> {
  const listed = listings.find((each) => each.name === name);
  const page = listed && (await fetchListingPage(listed, context));
  if (page && page.plainName !== '') return page;
  const shown = displayName(name);
  return { name: escapeName(shown, maxNameLength), plainName: plainName(shown), url: page?.url ?? null };
}

/** The cache returns the same profile to all commands until it expires, so that what shows its page is rendered once. */
export const listingPage = memoizeByIdentity(
  (profile: ServerProfile | BotProfile, texts: Texts): ListingPage => ({
    name: listingName(profile, texts),
    plainName: plainName(profile.name),
    url: profile.url,
  }),
);

/** In place of the page of a listing whose profile is not available. */
export function unknownPage(listed: ListedLookup, texts: Texts): ListingPage {
  const known = displayNameOf(listed);
  // The configured name would say less.
  if (known === listed.name)
    return { name: texts.text(`listing.unnamed.${listed.lookup.kind}`), plainName: '', url: null };
  return { name: escapeName(known, maxNameLength), plainName: plainName(known), url: null };
}

/** The button to the page where members vote; none without a URL. The same again, so that it is rendered once. */
export const voteButtons = memoizeByIdentity(({ url }: ListingPage, texts: Texts): readonly ReplyButton[] =>
  url ? [{ kind: 'link', label: texts.text('canVote.voteButton'), url }] : [],
);

export interface ListedPage {
  readonly listed: ListedLookup;
  readonly page: ListingPage;
}

/** Longer names of sites are truncated (characters). */
const maxSiteLength = 80;

/** The name of a listing with its site, unless it contains it. */
export function nameWithSite({ listed: { site }, page }: ListedPage): Markup {
  if (site === undefined || page.plainName.includes(site.name)) return page.name;
  return markup`${page.name} (${escapeName(site.name, maxSiteLength)})`;
}

/** A listing in a sentence: its name in bold, with its site, which two listings of one name have in their names. */
export function boldNameOnSite({ listed: { site }, page }: ListedPage, { text }: Texts): Markup {
  if (site === undefined) return bold(page.name);
  const mark = ` (${site.name})`;
  const isMarked = page.plainName.endsWith(mark);
  if (!isMarked && page.plainName.includes(site.name)) return bold(page.name);
  const name = isMarked ? escapeName(page.plainName.slice(0, -mark.length), maxNameLength) : page.name;
  return text('canVote.nameOnSite', { name: bold(name), site: escapeName(site.name, maxSiteLength) });
}

/** One of the buttons for several listings: named by its site, unless several of them are on it. None without a URL. */
export function voteLinkTo(
  { listed, page }: ListedPage,
  all: readonly ListedPage[],
  { text }: Texts,
): readonly ReplyButton[] {
  if (page.url === null) return [];
  const isOnly = all.every((other) => other.listed === listed || other.listed.site?.name !== listed.site?.name);
  const label =
    listed.site !== undefined && isOnly
      ? text('canVote.voteOn', { site: listed.site.name })
      : text('canVote.voteFor', { name: page.plainName || plainName(displayNameOf(listed)) });
  return [{ kind: 'link', label, url: page.url }];
}
