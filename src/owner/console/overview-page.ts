import { summarize } from '@tallyhook/platform/charts/axis';
import { barChart } from '@tallyhook/platform/charts/bar-chart';
import { day as dayMs, hour } from '@tallyhook/platform/durations';
import { type Html, html } from '@tallyhook/platform/web/html';
import { timeAgo } from '@tallyhook/platform/web/time-element';
import type { RankedMember } from '../../core/ledger/standing.ts';
import { weekdayOf } from '../../core/rewards/calendar.ts';
import type { DayVotes } from '../../core/store/standings/votes-per-day.ts';
import type { Texts } from '../../texts/texts.ts';
import type { ComponentStatus } from '../context.ts';
import type { Overview } from '../queries.ts';
import { avatar, counted, fill, memberLink, type NamedPage, outcomeBadge, siteText, untrustedText } from './cells.ts';
import { cardHtml, type RenderedCard } from './listings-page.ts';
import { memberSearch } from './members-page.ts';

interface OverviewView {
  readonly root: string;
  readonly now: number;
  readonly texts: Texts;
  /** The cards of the features. */
  readonly cards: readonly RenderedCard[];
}

export function overviewPage(overview: Overview, view: OverviewView): Html {
  const { root, now, texts, cards } = view;
  const { text } = texts;
  const { activity, totals, names } = overview;
  const { days, hours, sites } = activity;
  return html`<h1>${text('console.overview')}</h1>
${issues(overview, root, texts)}
${tiles(overview, root, texts)}
<section class="card" aria-labelledby="days"><h2 id="days">${text('console.votesPerDay')}</h2>${dayChart(days, texts)}</section>
<div class="columns even">
<section class="card" aria-labelledby="hours"><h2 id="hours">${text('console.votesByHour')}</h2>${hourChart(hours, texts)}</section>
<section class="card" aria-labelledby="weekdays"><h2 id="weekdays">${text('console.votesByWeekday')}</h2>${weekdayChart(days, texts)}</section>
</div>
<div class="columns even">
${totals && html`<section class="card" aria-labelledby="top"><h2 id="top">${text('console.topVoters')}</h2>${topVoters(totals.top, { names, root, texts })}</section>`}
${sites.length > 1 && html`<section class="card" aria-labelledby="sites"><h2 id="sites">${text('console.votesBySite')}</h2>${siteBars(sites, texts)}</section>`}
<section class="card" aria-labelledby="find"><h2 id="find">${text('console.lostVote')}</h2>
<p class="quiet">${text('console.lostVoteHint')}</p>${memberSearch(root, texts)}</section>
${cards.map((card) => cardHtml(card, texts))}
</div>
${status(overview, { root, now, texts })}`;
}

const week = 7;

function sum(days: readonly DayVotes[]): number {
  return days.reduce((total, { votes }) => total + votes, 0);
}

interface Tile {
  readonly name: string;
  readonly value: number;
  readonly path?: string;
  /** Below the number. */
  readonly note?: Html | string | null;
}

/** The numbers that matter, each with what gives it a meaning. */
function tiles({ activity, totals, orders }: Overview, root: string, texts: Texts): Html {
  const { number, text } = texts;
  const { days, voters } = activity;
  const [before, current] = [sum(days.slice(-2 * week, -week)), sum(days.slice(-week))];
  const today = days.at(-1)?.votes ?? 0;
  const all: readonly (Tile | null)[] = [
    { name: text('console.votesThisWeek'), value: current, note: change(current, before, texts) },
    {
      name: text('console.votesToday'),
      value: today,
      note: text('console.yesterday', { count: days.at(-2)?.votes ?? 0 }),
    },
    voters && {
      name: text('console.votersThisWeek'),
      value: voters.all,
      note: text('console.newVoters', { newcomers: voters.newcomers, others: voters.all - voters.newcomers }),
    },
    totals && {
      name: text('console.streaksAlive'),
      value: totals.streaks.count,
      note:
        totals.streaks.longest > 0
          ? text('console.longestStreak', { days: counted(text('parts.days', { count: totals.streaks.longest })) })
          : null,
    },
    totals && { name: text('console.votesThisMonth'), value: totals.month.votes },
    totals && { name: text('console.creditsThisMonth'), value: totals.month.credits },
    totals && {
      name: text('console.creditsHeld'),
      value: totals.members.credits,
      path: 'users',
      note: counted(text('parts.members', { count: totals.members.count })),
    },
    { name: text('console.ordersWaiting'), value: orders, path: 'orders' },
  ];
  return html`<dl class="tiles">${all.map(
    (tile) =>
      tile &&
      html`<div><dt>${tile.name}</dt><dd>${tile.path === undefined ? number(tile.value) : html`<a href="${root}${tile.path}">${number(tile.value)}</a>`}</dd>${tile.note ? html`<dd class="quiet">${tile.note}</dd>` : null}</div>`,
  )}</dl>`;
}

/** How a number of the last seven days compares with the seven days before. */
function change(current: number, before: number, { locale, text }: Texts): Html | string | null {
  if (before === 0) return null;
  const share = (current - before) / before;
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 }).format(Math.abs(share));
  const sign = share === 0 ? '=' : share > 0 ? '▲' : '▼';
  return html`<span class="${share < 0 ? 'less' : 'more'}">${sign} ${percent}</span> ${text('console.weekBefore')}`;
}

function topVoters(top: readonly RankedMember[], page: NamedPage): Html {
  if (top.length === 0) return html`<p class="quiet">${page.texts.text('console.noTopVoters')}</p>`;
  return html`<ol class="ranking">${top.map(
    ({ userId, score, rank }) =>
      html`<li value="${rank}"><span class="quiet number">${rank}</span> ${avatar(userId, page)} ${memberLink(userId, page)} <span class="quiet end">${counted(page.texts.text('parts.votes', { count: score }))}</span></li>`,
  )}</ol>`;
}

function issues({ problems, budgets, names }: Overview, root: string, texts: Texts): Html | null {
  const { text } = texts;
  const { quarantined, buried } = problems;
  const rejectedKeys = budgets.filter(({ keyRefused }) => keyRefused);
  const unexpectedResponses = budgets.filter(({ wrongShape }) => wrongShape);
  const nameOf = (listing: string) => html`<bdi>${names.listing(listing) ?? listing}</bdi>`;
  if (quarantined + buried + rejectedKeys.length + unexpectedResponses.length === 0) return null;
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

/** Votes per day as bars with their scale and figures, and a description for those who do not see it. */
function dayChart(days: readonly DayVotes[], texts: Texts): Html {
  const { locale, number, text } = texts;
  const dateOf = ({ day }: Pick<DayVotes, 'day'>) => datesIn(locale, { dateStyle: 'medium' }).format(day * dayMs);
  const shortDateOf = ({ day }: DayVotes) => datesIn(locale, { day: 'numeric', month: 'short' }).format(day * dayMs);
  const { total, average, most } = summarize(days.map(({ votes }) => votes));
  const [first, last, best] = [days.at(0), days.at(-1), days.find(({ votes }) => votes === most)];
  if (first === undefined || last === undefined || best === undefined || total === 0)
    return html`<p class="quiet">${text('console.noVotesInTime')}</p>`;
  const description = text('console.chart', {
    votes: counted(text('parts.votes', { count: total })),
    ...{ first: dateOf(first), last: dateOf(last), day: dateOf(best), most },
  });
  const bars = days.map((each, index) => ({
    ...{ value: each.votes, name: dateOf(each), isMarked: isWeekend(each.day) },
    label: index % week === 1 ? shortDateOf(each) : null,
  }));
  const figure = (name: string, value: number) => html`<span><strong>${number(value)}</strong> ${name}</span>`;
  return html`${barChart({ bars, description, number, locale, hasAverage: true })}
<p class="legend quiet">${figure(text('votePicture.total'), total)} ${figure(text('votePicture.average'), average)} ${figure(text('votePicture.maximum'), most)} <span class="key">${text('votePicture.weekend')}</span></p>`;
}

function isWeekend(day: number): boolean {
  return weekdayOf(day) > 5;
}

function hourChart(hours: readonly number[], texts: Texts): Html {
  const { locale, number, text } = texts;
  const time = datesIn(locale, { hour: 'numeric' });
  const bars = hours.map((value, index) => {
    const name = time.format(index * hour);
    return { value, name, label: index % 6 === 0 ? name : null };
  });
  const most = bars.reduce((one, other) => (other.value > one.value ? other : one));
  if (most.value === 0) return html`<p class="quiet">${text('console.noVotesInTime')}</p>`;
  return barChart({ bars, description: `${most.name}: ${number(most.value)}`, number, locale });
}

function weekdayChart(days: readonly DayVotes[], texts: Texts): Html {
  const { locale, number, text } = texts;
  const [short, long] = [datesIn(locale, { weekday: 'short' }), datesIn(locale, { weekday: 'long' })];
  // Four whole weeks, so that each weekday counts as often as the others.
  const whole = days.slice(-4 * week).toSorted((a, b) => weekdayOf(a.day) - weekdayOf(b.day));
  const bars = Array.from({ length: week }, (_, index) => {
    const same = whole.slice(4 * index, 4 * (index + 1));
    const at = (same[0]?.day ?? 0) * dayMs;
    return { value: sum(same), name: long.format(at), label: short.format(at), isMarked: isWeekend(same[0]?.day ?? 0) };
  });
  const most = bars.reduce((one, other) => (other.value > one.value ? other : one));
  if (most.value === 0) return html`<p class="quiet">${text('console.noVotesInTime')}</p>`;
  return barChart({ bars, description: `${most.name}: ${number(most.value)}`, number, locale });
}

function siteBars(sites: Overview['activity']['sites'], texts: Texts): Html {
  const most = Math.max(1, ...sites.map(({ votes }) => votes));
  return html`<dl class="shares">${sites.map(({ site, votes }) => {
    const name = siteText(site, texts);
    return html`<div><dt>${name}</dt><dd><progress max="${most}" value="${votes}" aria-label="${name}"></progress> ${texts.number(votes)}</dd></div>`;
  })}</dl>`;
}

function datesIn(locale: string, style: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(locale, { ...style, timeZone: 'UTC' });
}
