import type { RankedMember } from '../../core/ledger/standing.ts';
import type { DayVotes } from '../../core/ledger/votes-per-day.ts';
import type { ListingRewards, Multiplier, Weekday } from '../../core/rewards/rules.ts';
import type { PartyStatus } from '../../features/party/current-party.ts';
import type { ReminderSummary } from '../../features/reminders/summary.ts';
import type { GrantSummary } from '../../features/roles/summary.ts';
import type { PurchaseRecord, PurchaseSummary } from '../../features/shop/purchase.ts';
import { day as dayMs, formatCount, formatDuration, pluralize } from '../../platform/durations.ts';
import { type Html, html } from '../../platform/web/html.ts';
import { dateTime } from '../../platform/web/time-element.ts';
import type { ListingRules } from '../reward-records.ts';
import { memberLink, untrustedText } from './cells.ts';

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

/** The newest purchases, and how many wait for the owner. */
function shopOrders({ newest, waiting }: PurchaseSummary, root: string): Html {
  if (newest.length === 0) return html`<p class="quiet">Nobody has bought anything yet.</p>`;
  return html`<p>${waiting === 0 ? 'No purchases wait' : html`<strong>${formatCount(waiting, 'purchase')}</strong> ${pluralize(waiting, 'waits', 'wait')}`} for you to fulfil or refund.</p>
<table><thead><tr><th scope="col">Time</th><th scope="col">Item</th><th scope="col">Buyer</th><th scope="col" class="number">Price</th><th scope="col">State</th></tr></thead>
<tbody>${newest.map(
    (
      purchase,
    ) => html`<tr><td data-name="Time">${dateTime(purchase.at)}</td><td data-name="Item">${untrustedText(purchase.name)}</td>
<td data-name="Buyer" class="unbroken">${memberLink(purchase.userId, root)}</td><td data-name="Price" class="number unbroken">${formatCount(purchase.price, 'credit')}</td>
<td data-name="State">${stateBadge(purchase)}</td></tr>`,
  )}</tbody></table>`;
}

/** A confirmed role waits for Discord, and any other confirmed item for the owner. */
function stateBadge({ state, role }: PurchaseRecord): Html {
  if (state === 'fulfilled') return html`<span class="mark good">fulfilled</span>`;
  if (state === 'refunded') return html`<span class="mark">refunded</span>`;
  return html`<span class="mark busy">${role === null ? 'waits for you' : 'waits for Discord'}</span>`;
}

const weekdays: Readonly<Record<Weekday, string>> = {
  ...{ 1: 'Mondays', 2: 'Tuesdays', 3: 'Wednesdays', 4: 'Thursdays', 5: 'Fridays', 6: 'Saturdays', 7: 'Sundays' },
};

/** The active rules of a listing, a sentence each. */
function rulesInWords(rewards: ListingRewards): readonly string[] {
  const { base, multipliers, streak, milestones, milestoneRoles, voterRole, premiumRoles, allListings, party } =
    rewards;
  const denied = base.whenDenied > 0 ? `; a denied vote ${formatCount(base.whenDenied, 'credit')}` : '';
  const kept = milestoneRoles === 'highest' && milestones.some(({ role }) => role !== null);
  return [
    `A vote earns ${formatCount(base.perVote, 'credit')}${denied}.`,
    `Premium earns ${formatCount(base.perPremium, 'credit')}.`,
    ...multipliers.map(multiplierInWords),
    ...(streak === null
      ? []
      : [
          `Every ${formatCount(streak.every, 'day')} of a streak earn ${formatCount(streak.credits, 'credit')}; ${formatCount(streak.forgive, 'missed day')} in seven ${streak.forgive === 1 ? 'is' : 'are'} forgiven.`,
        ]),
    ...milestones.map(({ votes, repeats, credits, role }) => {
      const rewarded = [credits > 0 && formatCount(credits, 'credit'), role !== null && `the role ${role}`];
      const when = repeats === 'every' ? `Every ${formatCount(votes, 'vote')}` : formatCount(votes, 'vote');
      return `${when} earn ${rewarded.filter(Boolean).join(' and ')}.`;
    }),
    ...(kept ? ['Members keep the role of their highest milestone only.'] : []),
    ...(voterRole === null
      ? []
      : [`Each vote gives the role ${voterRole.role} for ${formatDuration(voterRole.forMs)}.`]),
    ...Object.entries(premiumRoles).map(([tier, role]) =>
      tier === '*' ? `Other premium tiers have the role ${role}.` : `Premium of the tier ${tier} has the role ${role}.`,
    ),
    ...(allListings > 0 ? [`Votes on all listings in one day earn ${formatCount(allListings, 'credit')}.`] : []),
    ...(party === null
      ? []
      : [
          `A party: ${formatCount(party.goal, 'vote')} per ${party.per} earn each voter ${formatCount(party.credits, 'credit')}.`,
        ]),
  ];
}

function multiplierInWords({ factor, days, from, until, role }: Multiplier): string {
  const conditions = [
    days !== null && `on ${days.map((day) => weekdays[day]).join(', ')}`,
    from !== null && `from ${new Date(from).toISOString()}`,
    until !== null && `until ${new Date(until).toISOString()}`,
    role !== null && `with the role ${role}`,
  ].filter(Boolean);
  return `Votes ${conditions.length > 0 ? `${conditions.join(' ')} ` : ''}earn ${factor} times as much.`;
}

/* Units of the drawing, which is scaled to the width of the page. */
const [width, height] = [600, 150];
const gap = 4;

/** Votes per day as bars, with a description for those who do not see it. */
function voteChart(days: readonly DayVotes[]): Html {
  const most = Math.max(1, ...days.map(({ votes }) => votes));
  const total = days.reduce((sum, { votes }) => sum + votes, 0);
  const step = width / Math.max(1, days.length);
  const [first, last] = [days.at(0), days.at(-1)];
  if (first === undefined || last === undefined || total === 0)
    return html`<p class="quiet">No votes in this time.</p>`;
  const best = days.reduce((one, other) => (other.votes > one.votes ? other : one));
  const description = `${formatCount(total, 'vote')} from ${dateOf(first)} to ${dateOf(last)}; most on ${dateOf(best)}: ${best.votes}.`;
  const bars = days.map(({ day, votes }, index) => {
    const barHeight = votes === 0 ? 0 : Math.max(2, (votes / most) * height);
    return html`<rect x="${round(index * step + gap / 2)}" y="${round(height - barHeight)}" width="${round(step - gap)}" height="${round(barHeight)}" rx="2"><title>${dateOf({ day })}: ${formatCount(votes, 'vote')}</title></rect>`;
  });
  return html`<figure class="chart"><svg viewBox="0 0 ${width} ${height + 1}" role="img" aria-label="${description}">
<line x1="0" y1="${height + 0.5}" x2="${width}" y2="${height + 0.5}"/>${bars}
</svg><figcaption class="quiet">${description}</figcaption></figure>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

const dates = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' });
function dateOf({ day }: Pick<DayVotes, 'day'>): string {
  return dates.format(day * dayMs);
}
