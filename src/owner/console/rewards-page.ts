import type { ListingRewards, Multiplier, Weekday } from '../../core/rewards/rules.ts';
import type { CardView, ConsoleCard } from '../../features/parts.ts';
import { formatCount, formatDuration } from '../../platform/durations.ts';
import { type Html, html } from '../../platform/web/html.ts';
import type { Texts } from '../../texts/texts.ts';
import type { ListingRules } from '../reward-records.ts';
import { memberLink, untrustedText } from './cells.ts';

export interface RewardsView {
  readonly rules: readonly ListingRules[];
  /** Of the features. */
  readonly cards: readonly RenderedCard[];
}

/** One card per subject. */
export function rewardsPage({ rules, cards }: RewardsView): Html {
  const shown = (isBeside: boolean) =>
    cards.flatMap(({ card: each, content }) =>
      (each.isBesideRules === true) === isBeside ? [card(each.id, each.title, content)] : [],
    );
  return html`<h1>Rewards</h1>
<div class="columns">
${card('rules', 'Active rules', rulesByListing(rules))}
<div>${shown(true)}</div>
</div>
${shown(false)}`;
}

/** A card with its content, for one page. */
export interface RenderedCard {
  readonly card: ConsoleCard;
  readonly content: Html;
}

/** Without the cards that have nothing to show. */
export async function renderCards(
  cards: readonly ConsoleCard[],
  scope: CardView['scope'],
  { root, texts }: { readonly root: string; readonly texts: Texts },
): Promise<readonly RenderedCard[]> {
  const page = { root, texts, names: null };
  const view = { scope, texts, memberLink: (userId: string) => memberLink(userId, page), text: untrustedText };
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
