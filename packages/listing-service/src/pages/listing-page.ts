import { formTokenField } from '@tallyhook/platform/web/form-token';
import { type Html, html } from '@tallyhook/platform/web/html';
import type { PageContent } from '@tallyhook/platform/web/page-frame';
import { voteCooldownOf } from '../listing/cooldown.ts';
import { type Listing, pagePath } from '../listing/listing.ts';
import type { Database } from '../storage/database.ts';
import { findRole } from '../storage/listings/co-owners.ts';
import { rankOf, relatedListings } from '../storage/listings/search.ts';
import { countVotes, lastVoteAt, votesBefore } from '../storage/votes.ts';
import type { ServiceTexts } from '../texts/texts.ts';
import { joinLink, relatedCard } from './listing-card.ts';
import { figure, isolated, listingIcon, listingLine, stateNotice, tagLinks } from './listing-parts.ts';
import type { PageDependencies } from './page-routes.ts';
import { previewTags } from './previews/preview-tags.ts';
import { noticeAt } from './render-page.ts';
import { type ReviewsView, reviewsSection } from './reviews-section.ts';

const maxVoters = 8;
const maxRelated = 3;

interface ListingView extends ReviewsView {
  /** The challenge in the vote form against bots; null without one. */
  readonly challenge: Html | null;
}

/** The public page of a listing. Only servers have reviews. */
export async function listingPage(dependencies: PageDependencies, view: ListingView): Promise<PageContent> {
  const { database, invites } = dependencies;
  const { listing, visitor, now, texts } = view;
  const mayEdit = visitor !== null && (await findRole(database, listing, visitor.userId)) !== null;
  const votes = await countVotes(database, listing.id, now);
  const voters = await votersSection(database, view);
  const rank = listing.state === 'published' ? await rankOf(database, listing, votes.month, now) : null;
  const related = await relatedListings(database, listing, { limit: maxRelated, now });
  const reviews = listing.kind === 'server' ? await reviewsSection(database, view) : null;
  const body = html`
<article class="listing">
  ${stateNotice(listing, texts)}
  <header class="hero">
    ${listingIcon(listing, 'large')}
    <div>
      <p class="over">${listingLine(listing, texts)}</p>
      <h1>${isolated(listing.name)}</h1>
      <p class="lead">${isolated(listing.description)}</p>
      ${tagLinks(listing.tags, texts)}
      <p class="actions">${joinLink(listing, { texts, invites })}
      <a class="button second" href="#vote">${texts.text('listing.vote')}</a></p>
    </div>
  </header>
  <dl class="sums">
    ${figure(texts.text('listing.votes'), texts.number(votes.total))}${figure(texts.text('listing.thisMonth'), texts.number(votes.month))}${rank !== null && figure(texts.text('listing.place'), `#${texts.number(rank)}`)}${listingFigures(listing, texts)}
  </dl>
  <div class="columns">
    ${reviews === null ? voters : html`<section aria-labelledby="reviews"><h2 id="reviews">${texts.text('reviews.title')}</h2>${reviews}</section>`}
    <aside>
      <section class="card vote" aria-labelledby="vote"><h2 id="vote">${texts.text('listing.vote')}</h2>${noticeAt('vote', view.request, texts)}${await voteForm(dependencies, view)}</section>
      ${reviews !== null && voters}
      ${listing.kind === 'server' ? rulesSection(listing.facts.rules, texts) : null}
      <p class="quiet">${mayEdit ? html`<a href="/dashboard/${listing.id}">${texts.text(`dashboard.edit.${listing.kind}`)}</a>` : html`<a href="${pagePath(listing)}/report">${texts.text(`listing.report.${listing.kind}`)}</a>`}</p>
    </aside>
  </div>
  ${
    related.length > 0 &&
    html`<section aria-labelledby="related"><h2 id="related">${texts.text(`listing.related.${listing.kind}`)}</h2>
  <ul class="cards">${related.map((each) => relatedCard(each.listing, each.monthlyVotes, { texts, invites }))}</ul></section>`
  }
</article>`;
  return { title: listing.name, body, head: previewTags(listing, votes.month, texts, dependencies) };
}

/** The figures of a listing with their labels. One that is not known yet is 0, and not shown. */
function listingFigures(listing: Listing, texts: ServiceTexts): readonly (Html | false)[] {
  const figures: readonly (readonly [string, number])[] =
    listing.kind === 'server'
      ? [
          [texts.text('listing.members'), listing.facts.members],
          [texts.text('listing.online'), listing.facts.online],
        ]
      : [
          [texts.text('listing.servers'), listing.facts.servers],
          [texts.text('listing.shards'), listing.facts.shards],
        ];
  return figures.map(([name, value]) => value > 0 && figure(name, texts.number(value)));
}

async function voteForm({ database, invites }: PageDependencies, view: ListingView): Promise<Html> {
  const { listing, visitor, challenge, now, texts } = view;
  const signIn = `/sign-in?next=${encodeURIComponent(`${pagePath(listing)}#vote`)}`;
  if (listing.state !== 'published') return html`<p class="quiet">${texts.text('listing.notPublished')}</p>`;
  if (visitor === null) {
    return html`<p><a class="button" href="${signIn}">${texts.text('listing.signInToVote')}</a></p>
      <p class="quiet">${texts.text('listing.interval')}</p>`;
  }
  const cooldown = voteCooldownOf(await lastVoteAt(database, listing.id, visitor.userId), now);
  if (cooldown.canVote || cooldown.nextVoteAt === null) {
    return html`<form method="post" action="${pagePath(listing)}/vote">${formTokenField(visitor)}${challenge}
      <button>${texts.fill('listing.voteFor', { name: isolated(listing.name) })}</button></form>
      <p class="quiet">${cooldown.lastVoteAt === null ? texts.text('listing.interval') : texts.fill('listing.lastVote', { time: texts.ago(cooldown.lastVoteAt, now) })}</p>`;
  }
  return html`<button disabled>${texts.text('listing.voteAgainIn', { wait: texts.wait(cooldown.nextVoteAt - now) })}</button>
    <p class="quiet">${texts.fill('listing.voted', { time: texts.dateTime(cooldown.nextVoteAt) })}</p>
    <p><a class="button second" href="${invites.discordOf(listing)}" rel="noreferrer">${texts.text('listing.backToDiscord')}</a></p>`;
}

/** Beside the reviews, or in their place for a bot. */
async function votersSection(database: Database, { listing, now, texts }: ListingView): Promise<Html> {
  const voters = await votesBefore(database, listing.id, { limit: maxVoters });
  const list = html`<ol class="voters">${voters.map(
    (vote) =>
      html`<li><span dir="auto">${vote.username ?? texts.text('frame.aMember')}</span> ${texts.ago(vote.votedAt, now)}</li>`,
  )}</ol>`;
  return html`<section class="card" aria-labelledby="voters"><h2 id="voters">${texts.text('listing.latestVotes')}</h2>${voters.length === 0 ? html`<p class="quiet">${texts.text('listing.noVotes')}</p>` : list}</section>`;
}

function rulesSection(rules: readonly string[], { text }: ServiceTexts): Html | null {
  if (rules.length === 0) return null;
  return html`<section class="card" aria-labelledby="rules"><h2 id="rules">${text('listing.rules')}</h2>
    <ol>${rules.map((rule) => html`<li>${isolated(rule)}</li>`)}</ol></section>`;
}
