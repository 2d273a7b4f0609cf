import { day as dayMs } from '@tallyhook/platform/durations';
import { type Html, html } from '@tallyhook/platform/web/html';
import { dateTime, timeAgo } from '@tallyhook/platform/web/time-element';
import { renderChange } from '../../../commands/setup/view.ts';
import { operator } from '../../core/ledger/correction.ts';
import type { RankedMember } from '../../core/ledger/standing.ts';
import type { DayVotes } from '../../core/store/standings/votes-per-day.ts';
import type { SettingsChange } from '../../features/settings/community.ts';
import type { Texts } from '../../texts/texts.ts';
import type { ComponentStatus, OwnerContext } from '../context.ts';
import type { NameBook } from '../names.ts';
import type { Overview } from '../queries.ts';
import { counted, fill, memberLink, type NamedPage, outcomeBadge, signedCredits, untrustedText } from './cells.ts';
import { memberSearch } from './members-page.ts';
import { markupHtml } from './settings/markup-html.ts';

export function overviewPage(
  overview: Overview,
  { root, now, texts }: { readonly root: string; readonly now: number; readonly texts: Texts },
): Html {
  const { text } = texts;
  const { days, totals, names } = overview;
  return html`<h1>${text('console.overview')}</h1>
${issues(overview, root, texts)}
${figures(overview, root, texts)}
<section class="card" aria-labelledby="days"><h2 id="days">${text('console.votesPerDay')}</h2>${voteChart(days, texts)}</section>
<div class="columns">
${
  totals &&
  html`<section class="card" aria-labelledby="top"><h2 id="top">${text('console.topVoters')}</h2>${topVoters(totals.top, { names, root, texts })}</section>`
}
<section class="card" aria-labelledby="find"><h2 id="find">${text('console.lostVote')}</h2>
<p class="quiet">${text('console.lostVoteHint')}</p>${memberSearch(root, texts)}</section>
</div>
${status(overview, { root, now, texts })}`;
}

function figures({ days, totals, orders }: Overview, root: string, { locale, text }: Texts): Html {
  const all: readonly (readonly [name: string, count: number, path?: string])[] = [
    [text('console.votesToday'), days.at(-1)?.votes ?? 0],
    ...(totals === null
      ? []
      : ([
          [text('console.votesThisMonth'), totals.month.votes],
          [text('console.creditsThisMonth'), totals.month.credits],
          [text('console.membersWithCredits'), totals.members.count, 'users'],
          [text('console.creditsHeld'), totals.members.credits],
        ] as const)),
    [text('console.ordersWaiting'), orders, 'rewards#orders'],
  ];
  return html`<dl class="sums">${all.map(([name, count, path]) => {
    const shown = count.toLocaleString(locale);
    return html`<div><dt>${name}</dt><dd>${path === undefined ? shown : html`<a href="${root}${path}">${shown}</a>`}</dd></div>`;
  })}</dl>`;
}

function topVoters(top: readonly RankedMember[], page: NamedPage): Html {
  if (top.length === 0) return html`<p class="quiet">${page.texts.text('console.noTopVoters')}</p>`;
  return html`<ol class="ranking">${top.map(
    ({ userId, score, rank }) =>
      html`<li value="${rank}">${memberLink(userId, page)} <span class="quiet">${counted(page.texts.text('parts.votes', { count: score }))}</span></li>`,
  )}</ol>`;
}

function issues({ problems, budgets, names }: Overview, root: string, texts: Texts): Html {
  const { text } = texts;
  const { quarantined, buried } = problems;
  const rejectedKeys = budgets.filter(({ keyRefused }) => keyRefused);
  const unexpectedResponses = budgets.filter(({ wrongShape }) => wrongShape);
  const nameOf = (listing: string) => html`<bdi>${names.listing(listing) ?? listing}</bdi>`;
  if (quarantined + buried + rejectedKeys.length + unexpectedResponses.length === 0)
    return html`<p class="notice good">${text('console.noProblems')}</p>`;
  return html`<section class="notice bad" aria-labelledby="needs"><h2 id="needs">${text('console.attention')}</h2><ul>
${quarantined > 0 && html`<li><a href="${root}deliveries?outcome=quarantined">${text('console.quarantined', { count: quarantined })}</a></li>`}
${buried > 0 && html`<li><a href="${root}effects?state=buried">${text('console.failed', { count: buried })}</a></li>`}
${rejectedKeys.map(({ listing }) => html`<li>${fill(texts, 'console.keyRefused', { name: nameOf(listing) })}</li>`)}
${unexpectedResponses.map(({ listing }) => html`<li>${fill(texts, 'console.wrongShape', { name: nameOf(listing) })}</li>`)}
</ul></section>`;
}

/** One line, which unfolds; open where a part is not ready. */
function status(
  { parts, budgets, problems, lastDelivery, names }: Overview,
  { root, now, texts }: { readonly root: string; readonly now: number; readonly texts: Texts },
): Html {
  const { number, locale, text } = texts;
  const broken = Object.values(parts).filter(({ ready }) => !ready).length;
  const mark =
    broken === 0
      ? html`<span class="mark good">${text('console.working')}</span> ${text('console.allReady')}`
      : html`<span class="mark bad">${text('console.notReady')}</span>`;
  const last = lastDelivery
    ? fill(texts, 'console.lastDelivery', { time: timeAgo(lastDelivery.receivedAt, now, locale) })
    : text('console.noDelivery');
  return html`<details class="card"${broken > 0 && html` open`}><summary>${mark} · ${last}</summary>
<dl class="facts">
${Object.entries(parts).map(([name, part]) => html`<div><dt>${partName(name, texts)}</dt><dd>${componentStatus(part, texts)}</dd></div>`)}
${budgets.map(
  ({ listing, left, limit }) =>
    html`<div><dt>${fill(texts, 'console.requestsLeft', { name: html`<bdi>${names.listing(listing) ?? listing}</bdi>` })}</dt><dd>${text('console.leftOf', { left: left ?? '?', limit })}</dd></div>`,
)}
<div><dt>${text('console.actions')}: ${text('console.states.waiting')}</dt><dd><a href="${root}effects?state=waiting">${number(problems.waiting)}</a></dd></div>
${lastDelivery && html`<div><dt>${text('console.labels.delivery')}</dt><dd><a href="${root}deliveries/${lastDelivery.id}">${timeAgo(lastDelivery.receivedAt, now, locale)}</a> ${outcomeBadge(lastDelivery, texts)}</dd></div>`}
</dl></details>`;
}

function partName(name: string, { text }: Texts): string {
  const names: Readonly<Record<string, string>> = {
    ...{
      store: text('console.parts.database'),
      settings: text('setup.names.voteSecrets'),
      requests: text('console.parts.requests'),
    },
    discord: 'Discord',
  };
  return names[name] ?? name;
}

/** The reason is for the operator alone, and from the program. */
function componentStatus({ ready, reason }: ComponentStatus, { text }: Texts): Html {
  return ready
    ? html`<span class="mark good">${text('console.working')}</span>`
    : html`<span class="mark bad">${text('console.notReady')}</span> ${reason !== undefined && html`<span lang="en">${untrustedText(reason)}</span>`}`;
}

/* Units of the drawing, which is scaled to the width of the page. */
const [width, height] = [600, 150];
const gap = 4;

/** Votes per day as bars with their scale, and a description for those who do not see it. */
function voteChart(days: readonly DayVotes[], texts: Texts): Html {
  const { locale, number, text } = texts;
  const dateOf = ({ day }: Pick<DayVotes, 'day'>) => datesIn(locale, { dateStyle: 'medium' }).format(day * dayMs);
  const shortDateOf = ({ day }: DayVotes) => datesIn(locale, { day: 'numeric', month: 'short' }).format(day * dayMs);
  const most = Math.max(1, ...days.map(({ votes }) => votes));
  const total = days.reduce((sum, { votes }) => sum + votes, 0);
  const step = width / Math.max(1, days.length);
  const [first, middle, last] = [days.at(0), days.at(days.length >> 1), days.at(-1)];
  if (first === undefined || middle === undefined || last === undefined || total === 0)
    return html`<p class="quiet">${text('console.noVotesInTime')}</p>`;
  const best = days.reduce((one, other) => (other.votes > one.votes ? other : one));
  const description = text('console.chart', {
    votes: counted(text('parts.votes', { count: total })),
    ...{ first: dateOf(first), last: dateOf(last), day: dateOf(best), most: best.votes },
  });
  const bars = days.map(({ day, votes }, index) => {
    const barHeight = votes === 0 ? 0 : Math.max(2, (votes / most) * height);
    return html`<rect x="${round(index * step + gap / 2)}" y="${round(height - barHeight)}" width="${round(step - gap)}" height="${round(barHeight)}" rx="2"><title>${dateOf({ day })}: ${counted(text('parts.votes', { count: votes }))}</title></rect>`;
  });
  // Labels are outside of the drawing, so that they keep their size on a phone.
  return html`<figure class="chart"><p class="quiet scale" aria-hidden="true">${number(most)}</p><svg viewBox="0 0 ${width} ${height + 1}" preserveAspectRatio="none" role="img" aria-label="${description}">
<line x1="0" y1="0.5" x2="${width}" y2="0.5"/><line x1="0" y1="${height + 0.5}" x2="${width}" y2="${height + 0.5}"/>${bars}
</svg><p class="quiet days" aria-hidden="true">${[first, middle, last].map((each) => html`<span>${shortDateOf(each)}</span>`)}</p>
<figcaption class="quiet">${description}</figcaption></figure>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function datesIn(locale: string, style: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(locale, { ...style, timeZone: 'UTC' });
}

const maxShown = 50;

export async function getChanges(context: OwnerContext) {
  const { corrections: store, setup, scope } = context;
  const [corrections, settings] = await Promise.all([
    store.authored({ communityId: scope?.communityId ?? null, before: null, limit: maxShown }),
    scope === null || setup === null ? [] : setup.settings.changes(scope.guildId, { before: null, limit: maxShown }),
  ]);
  const people = [
    ...corrections.flatMap(({ userId, author }) => [userId, author]),
    ...settings.map((each) => each.authorId),
  ];
  return { corrections, settings, names: await context.namesIn(scope)(people) };
}

export function changesPage(
  { corrections, settings, names }: Awaited<ReturnType<typeof getChanges>>,
  { isOfServer, root, texts }: { readonly isOfServer: boolean; readonly root: string; readonly texts: Texts },
): Html {
  const { locale, text } = texts;

  const page = { root, texts, names };
  return html`<h1>${text('console.changes')}</h1>
${
  isOfServer &&
  html`<section class="card" aria-labelledby="settings"><h2 id="settings">${text('console.settings')}</h2>${
    settings.length === 0
      ? html`<p>${text('setup.history.none')}</p>`
      : html`<ul class="items">${settings.map((change) => html`<li><p class="quiet">${dateTime(change.at, locale)} · ${authorName(change.authorId, page)}${change.undoneBy !== null && ` · ${text('setup.history.undone')}`}</p>${changed(change, page)}</li>`)}</ul>
<p><a class="button second" href="${root}settings?a=history">${text('console.undoChange')}</a></p>`
  }</section>`
}
<section class="card" aria-labelledby="credits"><h2 id="credits">${text('credits.title')}</h2>${
    corrections.length === 0
      ? html`<p>${text('console.noCorrections')}</p>`
      : html`<table><thead><tr>${[text('console.labels.time'), text('console.labels.author'), text('console.labels.member'), text('console.labels.reason')].map((name) => html`<th scope="col">${name}</th>`)}<th scope="col" class="number">${text('credits.title')}</th></tr></thead>
<tbody>${corrections.map(
          (
            each,
          ) => html`<tr><td data-name="${text('console.labels.time')}">${dateTime(each.at, locale)}</td><td data-name="${text('console.labels.author')}">${authorName(each.author, page)}</td>
<td data-name="${text('console.labels.member')}">${memberLink(each.userId, page)}</td><td data-name="${text('console.labels.reason')}">${untrustedText(each.reason)}</td><td data-name="${text('credits.title')}" class="number">${signedCredits(each.credits, texts)}</td></tr>`,
        )}</tbody></table>`
  }</section>`;
}

function authorName(author: string, page: NamedPage): Html {
  if (author === operator) return html`${page.texts.text('console.operator')}`;
  return /^\d+$/.test(author) ? memberLink(author, page) : untrustedText(author);
}

function changed(change: SettingsChange, { texts, names }: { readonly texts: Texts; readonly names: NameBook }): Html {
  const view = { texts, community: { listings: [] }, listingNames: new Map<string, string>() };
  return markupHtml(renderChange(change, view), names, texts.locale);
}
