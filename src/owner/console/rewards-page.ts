import type { RankedMember } from '../../core/ledger/standing.ts';
import type { DayVotes } from '../../core/ledger/votes-per-day.ts';
import type {
  GrantSummary,
  ListingRules,
  PartyStatus,
  PurchaseSummary,
  ReminderSummary,
} from '../../core/records/reward-records.ts';
import { formatCount } from '../../platform/durations.ts';
import { type Html, html } from '../../platform/web/html.ts';
import { memberLink, untrustedText } from './cells.ts';
import { rulesInWords } from './rules-in-words.ts';
import { shopOrders } from './shop-orders.ts';
import { voteChart } from './vote-chart.ts';

export interface RewardsView {
  readonly days: readonly DayVotes[];
  readonly party: PartyStatus | null;
  readonly rules: readonly ListingRules[];
  readonly top: readonly RankedMember[];
  readonly purchases: PurchaseSummary;
  readonly reminders: ReminderSummary;
  readonly grants: GrantSummary;
}

/** One card per subject. */
export function rewardsPage(view: RewardsView, root: string): Html {
  const { days, party, rules, top, purchases, reminders, grants } = view;
  return html`<h1>Rewards</h1>
${card('days', 'Votes of the last 30 days', voteChart(days))}
<div class="columns">
${card('rules', 'Active rules', rulesByListing(rules))}
<div>${party !== null && card('party', 'Vote party', partyProgress(party))}
${card('top', 'Top voters of this month', topVoters(top, root))}</div>
</div>
${card('orders', 'Shop orders', shopOrders(purchases, root))}
${card('reminders', 'Reminders', reminderCounts(reminders))}
${card('roles', 'Roles', grantSummary(grants, root))}`;
}

function card(id: string, title: string, content: Html | readonly Html[]): Html {
  return html`<section class="card" aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${content}</section>`;
}

/** Listings with the same rules share one list. */
function rulesByListing(listings: readonly ListingRules[]): Html[] {
  const described = listings.map(({ name, timeZone, rewards }) => ({ name, timeZone, rules: rulesInWords(rewards) }));
  const groups = Map.groupBy(described, ({ timeZone, rules }) => [timeZone, ...rules].join('\n'));
  return [...groups.values()].map((group) => {
    const names = group.map(({ name }) => name).join(', ');
    const { timeZone = '', rules = [] } = group[0] ?? {};
    return html`<h3><bdi>${names}</bdi></h3><ul class="rules">${rules.map((rule) => html`<li>${untrustedText(rule)}</li>`)}</ul>
<p class="quiet">Days are those of ${timeZone}.</p>`;
  });
}

function partyProgress({ period, votes, goal, credits }: PartyStatus): Html {
  const reached = votes >= goal ? 'The goal is reached.' : `${formatCount(goal - votes, 'vote')} to go.`;
  return html`<p>${period}: <strong>${votes.toLocaleString('en')}</strong> of ${formatCount(goal, 'vote')}</p>
<progress max="${goal}" value="${Math.min(votes, goal)}" aria-label="Votes of the party"></progress>
<p class="quiet">${reached} Each voter earns ${formatCount(credits, 'credit')}.</p>`;
}

function topVoters(top: readonly RankedMember[], root: string): Html {
  if (top.length === 0) return html`<p class="quiet">Nobody has voted this month.</p>`;
  return html`<ol class="ranking">${top.map(
    ({ userId, score }) =>
      html`<li>${memberLink(userId, root)} <span class="quiet">${formatCount(score, 'vote')}</span></li>`,
  )}</ol>`;
}

function reminderCounts({ scheduled, dueSoon, stopped }: ReminderSummary): Html {
  return html`<dl class="sums"><div><dt>Members with a scheduled reminder</dt><dd>${scheduled.toLocaleString('en')}</dd></div>
<div><dt>Due within an hour</dt><dd>${formatCount(dueSoon, 'reminder')}</dd></div>
<div><dt>Switched off, direct messages closed</dt><dd>${formatCount(stopped, 'member')}</dd></div></dl>
<p class="quiet">A reminder is scheduled by a vote. Members who have not voted since the last one are not counted.</p>`;
}

function grantSummary({ counts, parked }: GrantSummary, root: string): Html {
  return html`<p>${formatCount(counts.applied, 'role')} given, ${counts.pending.toLocaleString('en')} waiting, ${counts.parked.toLocaleString('en')} rejected by Discord.</p>
${
  parked.length > 0 &&
  html`<ul class="items">${parked.map(
    ({ userId, role, source, reason }) =>
      html`<li><div class="line"><h3>role ${role}</h3> <span class="mark bad">rejected</span> ${memberLink(userId, root)} <span class="quiet">${source}</span></div><p>${reason === null ? 'Discord rejected it; the reason is not stored any more.' : untrustedText(reason)}</p></li>`,
  )}</ul>`
}`;
}
