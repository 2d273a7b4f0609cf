import type { ListingRewards, Multiplier, Weekday } from '../../core/rewards/rules.ts';
import { formatCount, formatDuration } from '../../platform/durations.ts';

const weekdays: Readonly<Record<Weekday, string>> = {
  ...{ 1: 'Mondays', 2: 'Tuesdays', 3: 'Wednesdays', 4: 'Thursdays', 5: 'Fridays', 6: 'Saturdays', 7: 'Sundays' },
};

/** The active rules of a listing, a sentence each. */
export function rulesInWords(rewards: ListingRewards): readonly string[] {
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
