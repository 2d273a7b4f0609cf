import { formatCount, formatWait } from '../../platform/durations.ts';
import { formTokenField } from '../../web/form-token.ts';
import { type Html, html } from '../../web/html.ts';
import { dateTime, timeAgo } from '../../web/time-element.ts';
import type { VoteCooldown } from '../listing/cooldown.ts';
import { type Listing, pagePath } from '../listing/listing.ts';
import { type ReviewOrder, reviewOrders, type StoredReview } from '../storage/reviews.ts';
import type { RecentVote } from '../storage/votes.ts';
import type { Visitor } from './session.ts';

export interface ListingView {
  readonly listing: Listing;
  readonly visitor: Visitor | null;
  /** Of the visitor; null without a session. */
  readonly cooldown: VoteCooldown | null;
  /** What the vote form contains against bots; null without a challenge. */
  readonly challenge: Html | null;
  readonly votes: number;
  readonly monthlyVotes: number;
  readonly voters: readonly RecentVote[];
  readonly reviews: readonly StoredReview[];
  readonly order: ReviewOrder;
  readonly totalReviews: number;
  /** The mean of all ratings; null without reviews. */
  readonly rating: number | null;
  readonly now: number;
}

export function listingPage(view: ListingView): Html {
  const { listing, votes, monthlyVotes, visitor } = view;
  return html`
<article class="listing">
  <header class="hero">
    ${listingIcon(listing.name, 'large')}
    <div>
      <h1>${listing.name}</h1>
      <p class="lead">${listing.description}</p>
      <ul class="tags">${listing.tags.map((tag) => html`<li>${tag}</li>`)}</ul>
    </div>
  </header>
  <dl class="figures">
    <div><dt>Votes</dt><dd>${votes.toLocaleString('en')}</dd></div>
    <div><dt>This month</dt><dd>${monthlyVotes.toLocaleString('en')}</dd></div>
    ${listingFigures(listing)}
  </dl>
  <div class="columns">
    <section aria-labelledby="reviews"><h2 id="reviews">Reviews</h2>
      ${listing.kind === 'server' ? reviewList(view) : html`<p class="quiet">Only servers have reviews.</p>`}
    </section>
    <aside>
      <section class="card vote" aria-labelledby="vote"><h2 id="vote">Vote</h2>${voteForm(view)}</section>
      <section class="card" aria-labelledby="voters"><h2 id="voters">Latest votes</h2>${voterList(view)}</section>
      ${listing.kind === 'server' ? rulesSection(listing.facts.rules) : null}
      ${visitor?.userId === listing.ownerId && html`<p><a href="/dashboard/${listing.id}">Edit ${listing.kind}</a></p>`}
    </aside>
  </div>
</article>`;
}

function listingFigures(listing: Listing): Html {
  return listing.kind === 'server'
    ? html`<div><dt>Members</dt><dd>${listing.facts.members.toLocaleString('en')}</dd></div>
    <div><dt>Online</dt><dd>${listing.facts.online.toLocaleString('en')}</dd></div>`
    : html`<div><dt>Servers</dt><dd>${listing.facts.servers.toLocaleString('en')}</dd></div>
    <div><dt>Shards</dt><dd>${listing.facts.shards.toLocaleString('en')}</dd></div>`;
}

function voteForm({ listing, visitor, cooldown, challenge, now }: ListingView): Html {
  const signIn = `/sign-in?next=${encodeURIComponent(pagePath(listing))}`;
  if (!visitor || !cooldown) {
    return html`<p><a class="button" href="${signIn}">Sign in to vote</a></p>
      <p class="quiet">One vote every 12 hours.</p>`;
  }
  if (cooldown.canVote || cooldown.nextVoteAt === null) {
    return html`<form method="post" action="${pagePath(listing)}/vote">${formTokenField(visitor)}${challenge}
      <button>Vote for ${listing.name}</button></form>
      <p class="quiet">${cooldown.lastVoteAt === null ? 'One vote every 12 hours.' : html`Your last vote was ${timeAgo(cooldown.lastVoteAt, now)}.`}</p>`;
  }
  return html`<button disabled>Vote again in ${formatWait(cooldown.nextVoteAt - now)}</button>
    <p class="quiet">You have voted. You can vote again from ${dateTime(cooldown.nextVoteAt)}.</p>`;
}

function voterList({ voters, now }: ListingView): Html {
  if (voters.length === 0) return html`<p class="quiet">Nobody has voted yet.</p>`;
  return html`<ol class="voters">${voters.map(
    (vote) => html`<li><span>${vote.username ?? 'A member'}</span> ${timeAgo(vote.votedAt, now)}</li>`,
  )}</ol>`;
}

function rulesSection(rules: readonly string[]): Html | null {
  if (rules.length === 0) return null;
  return html`<section class="card" aria-labelledby="rules"><h2 id="rules">Rules</h2>
    <ol>${rules.map((rule) => html`<li>${rule}</li>`)}</ol></section>`;
}

function reviewList(view: ListingView): Html {
  const { listing, order, totalReviews, rating, now } = view;
  const sorts = reviewOrders.map((name) =>
    name === order
      ? html`<strong aria-current="true">${name}</strong>`
      : html`<a href="${pagePath(listing)}?sort=${name}#reviews">${name}</a>`,
  );
  return html`<p class="quiet">${rating === null ? 'No reviews yet.' : `${rating.toFixed(1)} of 5 from ${formatCount(totalReviews, 'review')}`}</p>
    <p class="sorts">Sort: ${sorts}</p>
    <ol class="reviews">${view.reviews.map((review) => reviewItem(review, now))}</ol>
    ${view.reviews.length < totalReviews && html`<p><a href="${pagePath(listing)}?sort=${order}&amp;all=1#reviews">Show more reviews</a> <span class="quiet">${view.reviews.length} of ${totalReviews}</span></p>`}
    ${reviewForm(view)}`;
}

function reviewItem(review: StoredReview, now: number): Html {
  const stars = '★'.repeat(review.rating) + '☆'.repeat(5 - review.rating);
  return html`<li><p class="stars" role="img" aria-label="${formatCount(review.rating, 'star')}">${stars}</p>
      <p class="comment">${review.comment}</p>
      <p class="quiet">${review.username} · ${timeAgo(review.createdAt, now)}</p></li>`;
}

function reviewForm({ listing, visitor }: ListingView): Html | null {
  if (!visitor) return null;
  return html`<form class="card stack" method="post" action="${pagePath(listing)}/reviews">${formTokenField(visitor)}
      <h3>Write a review</h3>
      <label>Stars <select name="rating">${[5, 4, 3, 2, 1].map((stars) => html`<option value="${stars}">${formatCount(stars, 'star')}</option>`)}</select></label>
      <label>Comment <textarea name="comment" required maxlength="1000" rows="3"></textarea></label>
      <button>Publish review</button>
    </form>`;
}

/** A placeholder for the listing's picture: the first character (grapheme) of its name. */
export function listingIcon(name: string, size: 'large' | 'small'): Html {
  const [first] = new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(name);
  return html`<span class="badge ${size}" aria-hidden="true">${first?.segment ?? '?'}</span>`;
}
