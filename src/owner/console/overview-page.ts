import type { RankedMember } from '../../core/ledger/standing.ts';
import { type Html, html } from '../../platform/web/html.ts';
import { timeAgo } from '../../platform/web/time-element.ts';
import { fill } from '../../texts/language.ts';
import type { Texts } from '../../texts/texts.ts';
import type { ComponentStatus } from '../context.ts';
import type { Overview } from '../get-overview.ts';
import { counted, memberLink, type NamedPage, outcomeBadge, untrustedText, withPart } from './cells.ts';
import { memberSearch } from './member-page.ts';
import { voteChart } from './vote-chart.ts';

export function overviewPage(
  overview: Overview,
  { root, now, texts }: { readonly root: string; readonly now: number; readonly texts: Texts },
): Html {
  const words = texts.console;
  const { days, totals, names } = overview;
  return html`<h1>${words.overview}</h1>
${issues(overview, root, texts)}
${figures(overview, root, texts)}
<section class="card" aria-labelledby="days"><h2 id="days">${words.votesPerDay}</h2>${voteChart(days, texts)}</section>
<div class="columns">
${
  totals &&
  html`<section class="card" aria-labelledby="top"><h2 id="top">${words.topVoters}</h2>${topVoters(totals.top, { names, root, texts })}</section>`
}
<section class="card" aria-labelledby="find"><h2 id="find">${words.lostVote}</h2>
<p class="quiet">${words.lostVoteHint}</p>${memberSearch(root, texts)}</section>
</div>
${status(overview, { root, now, texts })}`;
}

function figures({ days, totals, orders }: Overview, root: string, { locale, console: words }: Texts): Html {
  const all: readonly (readonly [name: string, count: number, path?: string])[] = [
    [words.votesToday, days.at(-1)?.votes ?? 0],
    ...(totals === null
      ? []
      : ([
          [words.votesThisMonth, totals.month.votes],
          [words.creditsThisMonth, totals.month.credits],
          [words.membersWithCredits, totals.members.count, 'users'],
          [words.creditsHeld, totals.members.credits],
        ] as const)),
    [words.ordersWaiting, orders, 'rewards#orders'],
  ];
  return html`<dl class="sums">${all.map(([name, count, path]) => {
    const shown = count.toLocaleString(locale);
    return html`<div><dt>${name}</dt><dd>${path === undefined ? shown : html`<a href="${root}${path}">${shown}</a>`}</dd></div>`;
  })}</dl>`;
}

function topVoters(top: readonly RankedMember[], page: NamedPage): Html {
  if (top.length === 0) return html`<p class="quiet">${page.texts.console.noTopVoters}</p>`;
  return html`<ol class="ranking">${top.map(
    ({ userId, score, rank }) =>
      html`<li value="${rank}">${memberLink(userId, page)} <span class="quiet">${counted(page.texts.parts.votes(score))}</span></li>`,
  )}</ol>`;
}

function issues({ problems, budgets, names }: Overview, root: string, texts: Texts): Html {
  const { console: words, count } = texts;
  const { quarantined, buried } = problems;
  const rejectedKeys = budgets.filter(({ keyRefused }) => keyRefused);
  const unexpectedResponses = budgets.filter(({ wrongShape }) => wrongShape);
  const nameOf = (listing: string) => html`<bdi>${names.listing(listing) ?? listing}</bdi>`;
  if (quarantined + buried + rejectedKeys.length + unexpectedResponses.length === 0)
    return html`<p class="notice good">${words.noProblems}</p>`;
  return html`<section class="notice bad" aria-labelledby="needs"><h2 id="needs">${words.attention}</h2><ul>
${quarantined > 0 && html`<li><a href="${root}deliveries?outcome=quarantined">${count(words.quarantined, quarantined)}</a></li>`}
${buried > 0 && html`<li><a href="${root}effects?state=buried">${count(words.failed, buried)}</a></li>`}
${rejectedKeys.map(({ listing }) => html`<li>${withPart(words.keyRefused, nameOf(listing))}</li>`)}
${unexpectedResponses.map(({ listing }) => html`<li>${withPart(words.wrongShape, nameOf(listing))}</li>`)}
</ul></section>`;
}

/** One line, which unfolds; open where a part is not ready. */
function status(
  { parts, budgets, problems, lastDelivery, names }: Overview,
  { root, now, texts }: { readonly root: string; readonly now: number; readonly texts: Texts },
): Html {
  const { console: words, number, locale } = texts;
  const broken = Object.values(parts).filter(({ ready }) => !ready).length;
  const mark =
    broken === 0
      ? html`<span class="mark good">${words.working}</span> ${words.allReady}`
      : html`<span class="mark bad">${words.notReady}</span>`;
  const last = lastDelivery
    ? withPart(words.lastDelivery, timeAgo(lastDelivery.receivedAt, now, locale))
    : words.noDelivery;
  return html`<details class="card"${broken > 0 && html` open`}><summary>${mark} · ${last}</summary>
<dl class="facts">
${Object.entries(parts).map(([name, part]) => html`<div><dt>${partName(name, texts)}</dt><dd>${componentStatus(part, texts)}</dd></div>`)}
${budgets.map(
  ({ listing, left, limit }) =>
    html`<div><dt>${withPart(words.requestsLeft, html`<bdi>${names.listing(listing) ?? listing}</bdi>`)}</dt><dd>${fill(words.leftOf, { left: left === null ? '?' : number(left), limit: number(limit) })}</dd></div>`,
)}
<div><dt>${words.actions}: ${words.states.waiting}</dt><dd><a href="${root}effects?state=waiting">${number(problems.waiting)}</a></dd></div>
${lastDelivery && html`<div><dt>${words.labels.delivery}</dt><dd><a href="${root}deliveries/${lastDelivery.id}">${timeAgo(lastDelivery.receivedAt, now, locale)}</a> ${outcomeBadge(lastDelivery, texts)}</dd></div>`}
</dl></details>`;
}

/** A component by what its owner knows of it. */
function partName(name: string, { console: { parts }, setup }: Texts): string {
  const names: Readonly<Record<string, string>> = {
    ...{ store: parts.database, settings: setup.names.voteSecrets, requests: parts.requests },
    discord: 'Discord',
  };
  return names[name] ?? name;
}

/** The reason is for the operator alone, and from the program. */
function componentStatus({ ready, reason }: ComponentStatus, { console: words }: Texts): Html {
  return ready
    ? html`<span class="mark good">${words.working}</span>`
    : html`<span class="mark bad">${words.notReady}</span> ${reason !== undefined && html`<span lang="en">${untrustedText(reason)}</span>`}`;
}
