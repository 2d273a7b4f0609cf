import type { RankedMember } from '../../core/ledger/standing.ts';
import type { DayVotes } from '../../core/ledger/votes-per-day.ts';
import type { ListingRewards, Multiplier, Weekday } from '../../core/rewards/rules.ts';
import type { ConsoleCard } from '../../features/parts.ts';
import { day as dayMs, formatCount, formatDuration } from '../../platform/durations.ts';
import { type Html, html } from '../../platform/web/html.ts';
import type { ListingRules } from '../reward-records.ts';
import { memberLink, untrustedText } from './cells.ts';

export interface RewardsView {
  readonly days: readonly DayVotes[];
  readonly rules: readonly ListingRules[];
  readonly top: readonly RankedMember[];
  /** Of the features. */
  readonly cards: readonly RenderedCard[];
}

/** One card per subject. */
export function rewardsPage({ days, rules, top, cards }: RewardsView, root: string): Html {
  const shown = (isBeside: boolean) =>
    cards.flatMap(({ card: each, content }) =>
      (each.isBesideRules === true) === isBeside ? [card(each.id, each.title, content)] : [],
    );
  return html`<h1>Rewards</h1>
${card('days', 'Votes of the last 30 days', voteChart(days))}
<div class="columns">
${card('rules', 'Active rules', rulesByListing(rules))}
<div>${shown(true)}
${card('top', 'Top voters of this month', topVoters(top, root))}</div>
</div>
${shown(false)}`;
}

/** A card with its content, for one page. */
export interface RenderedCard {
  readonly card: ConsoleCard;
  readonly content: Html;
}

/** Without the cards that have nothing to show. */
export async function renderCards(cards: readonly ConsoleCard[], root: string): Promise<readonly RenderedCard[]> {
  const view = { memberLink: (userId: string) => memberLink(userId, root), text: untrustedText };
  const contents = await Promise.all(cards.map((each) => each.render(view)));
  return cards.flatMap((each, index) => {
    const content = contents[index];
    return content ? [{ card: each, content }] : [];
  });
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

function topVoters(top: readonly RankedMember[], root: string): Html {
  if (top.length === 0) return html`<p class="quiet">Nobody has voted this month.</p>`;
  return html`<ol class="ranking">${top.map(
    ({ userId, score }) =>
      html`<li>${memberLink(userId, root)} <span class="quiet">${formatCount(score, 'vote')}</span></li>`,
  )}</ol>`;
}

const weekdays: Readonly<Record<Weekday, string>> = {
  1: 'Mondays',
  2: 'Tuesdays',
  3: 'Wednesdays',
  4: 'Thursdays',
  5: 'Fridays',
  6: 'Saturdays',
  7: 'Sundays',
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
