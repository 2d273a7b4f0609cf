import { hour, minute } from '@tallyhook/platform/durations';
import { markup, withoutBold } from '@tallyhook/platform/texts/markup';
import { formTokenField } from '@tallyhook/platform/web/form-token';
import { type Html, html } from '@tallyhook/platform/web/html';
import { dateTime } from '@tallyhook/platform/web/time-element';
import { createCalendar } from '../../core/rewards/calendar.ts';
import type { ReversalTotals, VoteRange } from '../../features/corrections/store.ts';
import type { CardView, ConsoleCard } from '../../features/parts.ts';
import type { HeldListing } from '../../features/rate-alarms/store.ts';
import type { Texts } from '../../texts/texts.ts';
import type { NameBook, ReadNames } from '../names.ts';
import type { ListingDetails } from '../queries.ts';
import { type DrawPart, fill, listingText, listingTitle, memberLink, named, siteText, untrustedText } from './cells.ts';
import { reasonHtml } from './reason.ts';
import { pageTabs } from './render-page.ts';
import type { OwnerSession } from './session.ts';
import { inlineMarkup } from './settings/markup-html.ts';

interface PageContext {
  readonly root: string;
  readonly session: OwnerSession;
  readonly texts: Texts;
  readonly names: NameBook;
}

/** A card per listing: how far its votes can be trusted, what is held, and a form to reverse votes. */
export function listingsPage(
  listings: readonly ListingDetails[],
  page: PageContext & { readonly drawPart: DrawPart },
): Html {
  const { text } = page.texts;
  return html`<h1>${text('setup.link.vote')}</h1>
${voteTabs('listings', page)}
${listings.length === 0 && html`<p class="card">${text('failure.noListing', { setup: markup`/setup` })}</p>`}
${listings.map((listing) => page.drawPart(listing.name, () => listingCard(listing, page)))}`;
}

/** The pages about votes: what was received, and the listings that it was for. */
export function voteTabs(current: string, { root, texts: { text } }: Pick<PageContext, 'root' | 'texts'>): Html {
  const pages = [
    { path: 'deliveries', title: text('console.deliveries') },
    { path: 'listings', title: text('console.listings') },
  ];
  return pageTabs(text('setup.link.vote'), pages, { root, current });
}

function listingCard(listing: ListingDetails, page: PageContext): Html {
  const { name, site, trust, held, timeZone } = listing;
  const { root, session, texts, names } = page;
  const { text } = texts;
  const title = names.listing(name) ?? name;
  // What was paid before the alarm, of the same hour.
  const paid = held && { from: Math.floor(held.heldAt / hour) * hour, until: held.heldAt + minute };
  return html`<section class="card" aria-label="${title}"><h2>${listingText(name, site, page)}</h2>
<p class="quiet">${trust === 'none' ? text('console.storesOnly') : texts.text(`setup.trust.${trust}`)}</p>
${held && heldVotes(held, listing, page)}
<h3>${text('console.reversal.title')}</h3>
<form class="line" method="post" action="${root}listings/${encodeURIComponent(name)}/reversals">${formTokenField(session)}
${timeField('from', text('console.reversal.from'), paid?.from, timeZone)} ${timeField('until', text('console.reversal.until'), paid?.until, timeZone)} <button class="second">${text('console.preview')}</button>
<span class="quiet">${timeZoneText(timeZone, texts)}</span></form></section>`;
}

function timeZoneText(timeZone: string, { text }: Texts): string {
  return `${text('setup.names.timeZone')}: ${timeZone}`;
}

function timeField(name: string, label: string, at: number | undefined, timeZone: string): Html {
  const value = at === undefined ? '' : new Date(createCalendar(timeZone).toLocal(at)).toISOString().slice(0, 16);
  return html`<label>${label} <input type="datetime-local" name="${name}" value="${value}" required></label>`;
}

function heldVotes(
  { listing, state, held, paid, usual, heldAt }: HeldListing,
  { site }: ListingDetails,
  { root, session, texts }: PageContext,
): Html {
  const { text } = texts;
  const votes = (count: number) => withoutBold(text('parts.votes', { count }));
  if (state !== 'held')
    return html`<p class="notice plain">${text(`console.held.${state}`, { votes: votes(held) })}</p>`;
  const hintId = `decide-${encodeURIComponent(listing)}`;
  const button = (decision: 'release' | 'reject') =>
    html`<form method="post" action="${root}listings/${encodeURIComponent(listing)}/${decision}">${formTokenField(session)}<button class="${decision === 'reject' && 'second'}" aria-describedby="${hintId}">${text(`console.held.${decision}`)}</button></form>`;
  const alarm = { votes: votes(paid), usual: votes(Math.round(usual)), site: siteText(site, texts) };
  return html`<div class="notice bad"><p>${fill(texts, 'console.held.since', { time: dateTime(heldAt, texts) })}: ${votes(held)}</p><p>${fill(texts, 'ownerReport.alarm', alarm)}</p></div>
<div class="acts">${button('release')} ${button('reject')}</div>
<p class="quiet" id="${hintId}">${text('console.held.hint')}</p>`;
}

export function reversalPage(
  { listing, from, until }: VoteRange,
  { members, votes, credits }: ReversalTotals,
  { root, session, texts, names, fields }: PageContext & { readonly fields: Readonly<Record<string, string>> },
): Html {
  const { text } = texts;

  const counts = { votes: text('parts.votes', { count: votes }), members: text('parts.members', { count: members }) };
  const hidden = Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  const back = html`<a href="${root}listings">${text('setup.buttons.cancel')}</a>`;
  return html`<div class="narrow"><p class="trail"><a href="${root}listings">${text('console.listings')}</a></p>
<h1>${text('console.reversal.question')}</h1>
<section class="card"><dl class="facts">
<div><dt>${text('setup.sections.listing')}</dt><dd>${listingTitle(listing, names)}</dd></div>
<div><dt>${text('console.reversal.from')}</dt><dd>${dateTime(from, texts)}</dd></div><div><dt>${text('console.reversal.until')}</dt><dd>${dateTime(until, texts)}</dd></div>
<div><dt>${text('setup.link.vote')}</dt><dd>${withoutBold(text('digest.votes', counts))}</dd></div>
<div><dt>${texts.text('credits.title')}</dt><dd>${withoutBold(text('parts.credits', { count: credits }))}</dd></div></dl>
<p>${text('console.reversal.hint')}</p>
${
  votes === 0
    ? html`<p>${back}</p>`
    : html`<form class="line" method="post" action="${root}listings/${encodeURIComponent(listing)}/reversals">${formTokenField(session)}
${hidden}<input type="hidden" name="confirmed" value="yes"><button>${text('setup.buttons.confirm')}</button> ${back}</form>`
}</section></div>`;
}

/** A card of a feature, with what it shows. */
export interface RenderedCard {
  readonly card: ConsoleCard;
  readonly content: Html;
}

/** Renders the cards that have something to show. */
export async function renderCards(
  cards: readonly ConsoleCard[],
  scope: CardView['scope'],
  page: PageContext & { readonly readNames: ReadNames },
): Promise<readonly RenderedCard[]> {
  const { texts, names, root, session } = page;
  const view: CardView = {
    ...{ scope, texts, text: untrustedText },
    memberLinks: async (userIds) => {
      const known = userIds.length === 0 ? names : await page.readNames(userIds);
      return (userId) => memberLink(userId, { ...page, names: known });
    },
    role: (id) => named(id, names.role(id)),
    reason: (reason) => reasonHtml(reason, page),
    markup: (text) => inlineMarkup(text, names, texts),
    form: (path, label) =>
      html` <form class="inline" method="post" action="${root}${path}">${formTokenField(session)}<button class="second">${label}</button></form>`,
  };
  const contents = await Promise.all(cards.map((each) => each.render(view)));
  return cards.flatMap((each, index) => {
    const content = contents[index];
    return content ? [{ card: each, content }] : [];
  });
}

export function cardHtml({ card: { id, title }, content }: RenderedCard, texts: Texts): Html {
  return html`<section class="card" aria-labelledby="${id}"><h2 id="${id}">${title(texts)}</h2>${content}</section>`;
}
