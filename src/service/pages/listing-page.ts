import { formatWait } from '../../platform/durations.ts';
import { formTokenField } from '../../platform/web/form-token.ts';
import { type Html, html } from '../../platform/web/html.ts';
import { dateTime, timeAgo } from '../../platform/web/time-element.ts';
import { voteCooldownOf } from '../listing/cooldown.ts';
import { type Listing, pagePath } from '../listing/listing.ts';
import type { Database } from '../storage/database.ts';
import { countVotes, lastVoteAt, votesBefore } from '../storage/votes.ts';
import { figure, isolated, kindName, listingIcon, stateNotice, tagLinks } from './listing-parts.ts';
import { type ReviewsView, reviewsSection } from './reviews-section.ts';

const maxVoters = 8;

interface ListingView extends ReviewsView {
  /** What the vote form contains against bots; null without a challenge. */
  readonly challenge: Html | null;
}

/** The public page of a listing. Only servers have reviews. */
export async function listingPage(database: Database, view: ListingView): Promise<Html> {
  const { listing, visitor, now } = view;
  const isOwner = visitor?.userId === listing.ownerId;
  const votes = await countVotes(database, listing.id, now);
  const voters = await votersSection(database, listing, now);
  const reviews = listing.kind === 'server' ? await reviewsSection(database, view) : null;
  return html`
<article class="listing">
  ${stateNotice(listing)}
  <header class="hero">
    ${listingIcon(listing, 'large')}
    <div>
      <p class="over">${kindName(listing)}${listing.kind === 'server' && ` · ${listing.facts.category}`}</p>
      <h1>${isolated(listing.name)}</h1>
      <p class="lead">${isolated(listing.description)}</p>
      ${tagLinks(listing.tags)}
    </div>
  </header>
  <dl class="figures">
    ${figure('Votes', votes.total)}${figure('This month', votes.month)}${listingFigures(listing)}
  </dl>
  <div class="columns">
    ${reviews === null ? voters : html`<section aria-labelledby="reviews"><h2 id="reviews">Reviews</h2>${reviews}</section>`}
    <aside>
      <section class="card vote" aria-labelledby="vote"><h2 id="vote">Vote</h2>${await voteForm(database, view)}</section>
      ${reviews !== null && voters}
      ${listing.kind === 'server' ? rulesSection(listing.facts.rules) : null}
      <p class="quiet">${isOwner ? html`<a href="/dashboard/${listing.id}">Edit ${listing.kind}</a>` : html`<a href="${pagePath(listing)}/report">Report this ${listing.kind}</a>`}</p>
    </aside>
  </div>
</article>`;
}

/** What is not known of a listing yet is 0, and not shown. */
function listingFigures(listing: Listing): readonly (Html | false)[] {
  const figures: readonly (readonly [string, number])[] =
    listing.kind === 'server'
      ? [
          ['Members', listing.facts.members],
          ['Online', listing.facts.online],
        ]
      : [
          ['Servers', listing.facts.servers],
          ['Shards', listing.facts.shards],
        ];
  return figures.map(([name, value]) => value > 0 && figure(name, value));
}

async function voteForm(database: Database, { listing, visitor, challenge, now }: ListingView): Promise<Html> {
  const signIn = `/sign-in?next=${encodeURIComponent(pagePath(listing))}`;
  if (listing.state !== 'published') return html`<p class="quiet">Votes begin when it is published.</p>`;
  if (visitor === null) {
    return html`<p><a class="button" href="${signIn}">Sign in to vote</a></p>
      <p class="quiet">One vote every 12 hours.</p>`;
  }
  const cooldown = voteCooldownOf(await lastVoteAt(database, listing.id, visitor.userId), now);
  if (cooldown.canVote || cooldown.nextVoteAt === null) {
    return html`<form method="post" action="${pagePath(listing)}/vote">${formTokenField(visitor)}${challenge}
      <button>Vote for ${isolated(listing.name)}</button></form>
      <p class="quiet">${cooldown.lastVoteAt === null ? 'One vote every 12 hours.' : html`Your last vote was ${timeAgo(cooldown.lastVoteAt, now)}.`}</p>`;
  }
  return html`<button disabled>Vote again in ${formatWait(cooldown.nextVoteAt - now)}</button>
    <p class="quiet">You have voted. You can vote again from ${dateTime(cooldown.nextVoteAt)}.</p>`;
}

/** Beside the reviews, or in their place for a bot. */
async function votersSection(database: Database, { id }: Listing, now: number): Promise<Html> {
  const voters = await votesBefore(database, id, { limit: maxVoters });
  const list = html`<ol class="voters">${voters.map(
    (vote) => html`<li><span dir="auto">${vote.username ?? 'A member'}</span> ${timeAgo(vote.votedAt, now)}</li>`,
  )}</ol>`;
  return html`<section class="card" aria-labelledby="voters"><h2 id="voters">Latest votes</h2>${voters.length === 0 ? html`<p class="quiet">Nobody has voted yet.</p>` : list}</section>`;
}

function rulesSection(rules: readonly string[]): Html | null {
  if (rules.length === 0) return null;
  return html`<section class="card" aria-labelledby="rules"><h2 id="rules">Rules</h2>
    <ol>${rules.map((rule) => html`<li>${isolated(rule)}</li>`)}</ol></section>`;
}
