import { barChart } from '@tallyhook/platform/charts/bar-chart';
import { day as dayMs } from '@tallyhook/platform/durations';
import { withoutBold } from '@tallyhook/platform/texts/markup';
import { type Html, html } from '@tallyhook/platform/web/html';
import { initials } from '@tallyhook/platform/web/initials';
import type { LeaderboardScore } from '../../core/ledger/standing.ts';
import { weekdayOf } from '../../core/rewards/calendar.ts';
import { boardTitle, medalOf, scoreText } from '../../texts/boards.ts';
import type { Texts } from '../../texts/texts.ts';
import type { PublicBoard, PublicMember, PublicPrize, PublicView, VoteLink } from './view.ts';

/** The title of a board of the page, as its leaderboard in Discord has it. */
export function titleOf({ per, by }: Pick<PublicBoard, 'per' | 'by'>, texts: Texts): string {
  return withoutBold(boardTitle(by, per, texts));
}

export function memberText({ name }: Pick<PublicMember, 'name'>, { text }: Texts): string {
  return name ?? text('publicPage.unnamed');
}

/** The label of a link to vote: the site, if no other listing is on it. */
export function linkLabel({ name, site }: VoteLink, all: readonly VoteLink[], { text }: Texts): string {
  const isOnly = all.every((other) => other.site !== site || other.name === name);
  if (site !== null && isOnly) return text('canVote.voteOn', { site });
  return name === '' || all.length === 1 ? text('canVote.voteButton') : text('canVote.voteFor', { name });
}

export interface PageView {
  readonly view: PublicView;
  /** The page of the member who looks at it; null if nobody can sign in. */
  readonly ownPage: string | null;
  readonly texts: Texts;
}

/** The body of a community's public page. */
export function publicPageBody({ view, ownPage, texts }: PageView): Html {
  const { month, boards, links } = view;
  const { text, number } = texts;
  const linked = links.filter(({ url }) => url !== null);
  // Each section is null where the community has nothing of the kind.
  const beside = [
    partySection(view, texts),
    raffleSection(view, texts),
    ownSection(ownPage, texts),
    chartSection(view, texts),
  ];
  return html`<section class="hero" aria-labelledby="vote"><div><h1 id="vote">${voteTitle(view, texts)}</h1>
${linked.length > 0 && html`<p class="lead">${text('publicPage.howToVote')}</p>`}
<p class="line">${linked.map((link, index) => html`<a class="button${index > 0 && html` second`}" href="${link.url}" rel="noreferrer">${linkLabel(link, linked, texts)}</a>`)}</p></div>
<dl class="figures"><div><dt>${text('publicPage.votes')}</dt><dd>${number(month.votes)}</dd></div><div><dt>${text('publicPage.voters')}</dt><dd>${number(month.members)}</dd></div></dl></section>
<div class="columns"><div>${boards.map((board, index) => boardSection(board, index, texts))}</div>
<div>${beside}</div></div>`;
}

function voteTitle({ name }: PublicView, { text }: Texts): string {
  return name === '' ? text('canVote.voteButton') : text('canVote.voteFor', { name });
}

function boardSection(board: PublicBoard, index: number, texts: Texts): Html {
  const { by, days, members, total, prizes } = board;
  const { text } = texts;
  const most = Math.max(1, ...members.map(({ score }) => score));
  const id = `board-${index}`;
  return html`<section class="card" aria-labelledby="${id}"><div class="spread"><h2 id="${id}">${titleOf(board, texts)}</h2><p class="quiet">${texts.days(...days)}</p></div>
${prizes.length > 0 && prizeList(board, texts)}
${
  members.length === 0
    ? html`<p class="quiet">${withoutBold(text('leaderboard.none'))}</p>`
    : html`<ol class="ranking">${members.map((member) => memberRow(member, { by, most, texts }))}</ol>`
}
${total > members.length && html`<p class="quiet">${text('leaderboard.members', { count: total })}</p>`}</section>`;
}

function memberRow(
  member: PublicMember,
  { by, most, texts }: { readonly by: LeaderboardScore; readonly most: number; readonly texts: Texts },
): Html {
  const { rank, score } = member;
  const name = memberText(member, texts);
  const medal = medalOf(rank);
  // The length of the bar says again what the number says.
  const share = Math.max(1, Math.round((100 * score) / most));
  const place = medal === null ? texts.number(rank) : html`<span role="img" aria-label="${rank}">${medal}</span>`;
  return html`<li><span class="number">${place}</span>${initials(member.name, name)}<span class="who"><bdi>${name}</bdi><svg class="share" aria-hidden="true"><rect width="${share}%" height="100%" rx="2"/></svg></span><span class="end number">${withoutBold(scoreText(by, score, texts))}</span></li>`;
}

function prizeList({ prizes, minVotes }: PublicBoard, texts: Texts): Html {
  const { text } = texts;
  return html`<div class="prizes"><h3>${text('prizes.title')}</h3><ul>${prizes.map(
    (prize) => html`<li><span class="mark busy">${placeText(prize, texts)}</span> ${rewardText(prize, texts)}</li>`,
  )}</ul>
${minVotes > 1 && html`<p class="quiet">${text('publicPage.minVotes', { votes: withoutBold(text('parts.votes', { count: minVotes })) })}</p>`}</div>`;
}

function placeText({ from, to }: PublicPrize, { number }: Texts): string {
  return from === to ? `#${number(from)}` : `#${number(from)}–${number(to)}`;
}

function rewardText({ credits, role }: PublicPrize, { text }: Texts): Html {
  const paid = credits > 0 ? withoutBold(text('parts.credits', { count: credits })) : null;
  const given = role && (role.name === null ? text('publicPage.someRole') : html`<bdi>@${role.name}</bdi>`);
  return html`${paid}${paid && given && ' + '}${given}`;
}

function partySection({ party }: PublicView, texts: Texts): Html | null {
  if (party === null) return null;
  const { days, votes, goal, credits } = party;
  const { text, number } = texts;
  const title = withoutBold(text('party.title'));
  const reward = text('party.reward', { credits: text('parts.credits', { count: credits }) });
  return html`<section class="card" aria-labelledby="party"><div class="spread"><h2 id="party">${title}</h2><p class="quiet">${texts.days(...days)}</p></div>
<p>${withoutBold(text('party.progress', { votes: number(votes), goal: number(goal) }))}</p>
<progress max="${goal}" value="${Math.min(votes, goal)}" aria-label="${title}"></progress>
${(votes >= goal || credits > 0) && html`<p class="quiet">${withoutBold(votes >= goal ? text('party.goalTitle') : reward)}</p>`}</section>`;
}

function raffleSection({ raffle }: PublicView, { days, text }: Texts): Html | null {
  if (raffle === null) return null;
  const { winners, credits, ticketsPerVote, maxTickets } = raffle;
  const tickets = (count: number) => text('raffle.tickets', { count });
  return html`<section class="card" aria-labelledby="raffle"><div class="spread"><h2 id="raffle">${withoutBold(text('raffle.title'))}</h2><p class="quiet">${days(...raffle.days)}</p></div>
<p>${withoutBold(text('raffle.prize', { count: winners, credits: text('parts.credits', { count: credits }) }))}</p>
<p class="quiet">${withoutBold(text('raffle.perVote', { tickets: tickets(ticketsPerVote), most: tickets(maxTickets) }))}</p></section>`;
}

function ownSection(ownPage: string | null, { text }: Texts): Html | null {
  if (ownPage === null) return null;
  return html`<section class="card" aria-labelledby="own"><h2 id="own">${text('publicPage.own')}</h2><p>${text('publicPage.ownHint')}</p>
<p><a class="button second" href="${ownPage}">${text('publicPage.ownPage')}</a></p></section>`;
}

const daysPerLabel = 7;

function chartSection({ votesPerDay }: PublicView, texts: Texts): Html | null {
  const { text, number, locale } = texts;
  const total = votesPerDay.reduce((sum, { votes }) => sum + votes, 0);
  if (total === 0) return null;
  const dates = new Intl.DateTimeFormat(locale, { month: 'long', day: 'numeric', timeZone: 'UTC' });
  const shortDates = new Intl.DateTimeFormat(locale, { month: 'short', day: 'numeric', timeZone: 'UTC' });
  const bars = votesPerDay.map(({ day, votes: value }, index) => ({
    ...{ value, name: dates.format(day * dayMs), isMarked: weekdayOf(day) > 5 },
    // One below the last bars would not fit.
    label: index % daysPerLabel === 1 && index < 4 * daysPerLabel ? shortDates.format(day * dayMs) : null,
  }));
  const title = text('votePicture.title');
  return html`<section class="card" aria-labelledby="chart"><h2 id="chart">${title}</h2>${barChart({ bars, description: title, number, locale })}</section>`;
}
