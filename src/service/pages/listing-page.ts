import { type Html, html } from '../../web/html.ts';
import { ago, counted, moment, span } from '../../web/relative-time.ts';
import type { VoteCooldown } from '../listing/cooldown.ts';
import { type Listing, pagePath } from '../listing/listing.ts';
import { type ReviewOrder, reviewOrders, type StoredReview } from '../storage/reviews.ts';
import type { RecentVote } from '../storage/votes.ts';
import { badge } from './badge.ts';
import { formToken } from './layout.ts';
import type { Visitor } from './session.ts';

/** Everything that the public page of a listing shows. */
export interface ListingView {
  readonly listing: Listing;
  readonly visitor: Visitor | null;
  /** Whether the visitor may vote; null for one who is not signed in. */
  readonly standing: VoteCooldown | null;
  readonly votes: number;
  readonly monthlyVotes: number;
  readonly voters: readonly RecentVote[];
  readonly reviews: readonly StoredReview[];
  readonly order: ReviewOrder;
  readonly totalReviews: number;
  /** The mean of all ratings; null without any. */
  readonly rating: number | null;
  readonly now: number;
}

export function listingPage(view: ListingView): Html {
  const { listing, votes, monthlyVotes, visitor } = view;
  return html`
<article class="listing">
  <header class="hero">
    ${badge(listing.name, 'large')}
    <div>
      <h1>${listing.name}</h1>
      <p class="lead">${listing.description}</p>
      <ul class="tags">${listing.tags.map((tag) => html`<li>${tag}</li>`)}</ul>
    </div>
  </header>
  <dl class="figures">
    <div><dt>Votes</dt><dd>${votes.toLocaleString('en')}</dd></div>
    <div><dt>This month</dt><dd>${monthlyVotes.toLocaleString('en')}</dd></div>
    ${figures(listing)}
  </dl>
  <div class="columns">
    <section aria-labelledby="reviews"><h2 id="reviews">Reviews</h2>
      ${listing.kind === 'server' ? reviews(view) : html`<p class="quiet">Reviews are written for servers.</p>`}
    </section>
    <aside>
      <section class="card vote" aria-labelledby="vote"><h2 id="vote">Vote</h2>${voteBox(view)}</section>
      <section class="card" aria-labelledby="voters"><h2 id="voters">Latest votes</h2>${voters(view)}</section>
      ${listing.kind === 'server' ? rules(listing.facts.rules) : null}
      ${visitor?.userId === listing.ownerId && html`<p><a href="/dashboard/${listing.id}">Edit ${listing.kind}</a></p>`}
    </aside>
  </div>
</article>`;
}

function figures(listing: Listing): Html {
  return listing.kind === 'server'
    ? html`<div><dt>Members</dt><dd>${listing.facts.members.toLocaleString('en')}</dd></div>
    <div><dt>Online</dt><dd>${listing.facts.online.toLocaleString('en')}</dd></div>`
    : html`<div><dt>Servers</dt><dd>${listing.facts.servers.toLocaleString('en')}</dd></div>
    <div><dt>Shards</dt><dd>${listing.facts.shards.toLocaleString('en')}</dd></div>`;
}

function voteBox({ listing, visitor, standing, now }: ListingView): Html {
  const signIn = `/sign-in?next=${encodeURIComponent(pagePath(listing))}`;
  if (!visitor || !standing) {
    return html`<p><a class="button" href="${signIn}">Sign in to vote</a></p>
      <p class="quiet">One vote every 12 hours.</p>`;
  }
  if (standing.canVote || standing.nextVoteAt === null) {
    return html`<form method="post" action="${pagePath(listing)}/vote">${formToken(visitor)}
      <button>Vote for ${listing.name}</button></form>
      <p class="quiet">${standing.lastVoteAt === null ? 'One vote every 12 hours.' : html`Your last vote was ${ago(standing.lastVoteAt, now)}.`}</p>`;
  }
  return html`<button disabled>Vote again in ${span(standing.nextVoteAt - now)}</button>
    <p class="quiet">You have voted. The next vote is open from ${moment(standing.nextVoteAt)}.</p>`;
}

function voters({ voters, now }: ListingView): Html {
  if (voters.length === 0) return html`<p class="quiet">Nobody has voted yet.</p>`;
  return html`<ol class="voters">${voters.map(
    (vote) => html`<li><span>${vote.username ?? 'A member'}</span> ${ago(vote.votedAt, now)}</li>`,
  )}</ol>`;
}

function rules(all: readonly string[]): Html | null {
  if (all.length === 0) return null;
  return html`<section class="card" aria-labelledby="rules"><h2 id="rules">Rules</h2>
    <ol>${all.map((rule) => html`<li>${rule}</li>`)}</ol></section>`;
}

function reviews(view: ListingView): Html {
  const { listing, order, totalReviews, rating, now } = view;
  const sorts = reviewOrders.map((name) =>
    name === order
      ? html`<strong aria-current="true">${name}</strong>`
      : html`<a href="${pagePath(listing)}?sort=${name}#reviews">${name}</a>`,
  );
  return html`<p class="quiet">${rating === null ? 'No reviews yet.' : `${rating.toFixed(1)} of 5 from ${counted(totalReviews, 'review')}`}</p>
    <p class="sorts">Sort: ${sorts}</p>
    <ol class="reviews">${view.reviews.map((review) => reviewItem(review, now))}</ol>
    ${view.reviews.length < totalReviews && html`<p><a href="${pagePath(listing)}?sort=${order}&amp;all=1#reviews">Show more reviews</a> <span class="quiet">${view.reviews.length} of ${totalReviews}</span></p>`}
    ${reviewForm(view)}`;
}

function reviewItem(review: StoredReview, now: number): Html {
  const stars = '★'.repeat(review.rating) + '☆'.repeat(5 - review.rating);
  return html`<li><p class="stars" role="img" aria-label="${counted(review.rating, 'star')}">${stars}</p>
      <p class="comment">${review.comment}</p>
      <p class="quiet">${review.username} · ${ago(review.createdAt, now)}</p></li>`;
}

function reviewForm({ listing, visitor }: ListingView): Html | null {
  if (!visitor) return null;
  return html`<form class="card stack" method="post" action="${pagePath(listing)}/reviews">${formToken(visitor)}
      <h3>Write a review</h3>
      <label>Stars <select name="rating">${[5, 4, 3, 2, 1].map((stars) => html`<option value="${stars}">${counted(stars, 'star')}</option>`)}</select></label>
      <label>Comment <textarea name="comment" required maxlength="1000" rows="3"></textarea></label>
      <button>Publish review</button>
    </form>`;
}
