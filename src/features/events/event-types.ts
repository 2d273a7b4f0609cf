/** The types of events, in the order of the documentation. */
export const eventTypes = [
  ...(['vote.recorded', 'vote.reversed', 'streak.ended', 'milestone.reached', 'party.reached'] as const),
  ...([
    'premium.started',
    'premium.ended',
    'purchase.made',
    'purchase.refunded',
    'prize.won',
    'credits.changed',
  ] as const),
  'webhook.test',
] as const;

export type EventType = (typeof eventTypes)[number];
