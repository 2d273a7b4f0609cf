/** What this process has done since its start, as plain numbers that `/metrics` reads. */
export interface ServiceCounters {
  /** Votes that were stored, and those that came during the cooldown. */
  readonly votes: { stored: number; cooldown: number };
  /** Reviews that were written or edited. */
  reviews: number;
  /** Requests to webhooks: answered with 2xx, answered with another status, and not answered. */
  readonly webhookRequests: { accepted: number; rejected: number; unanswered: number };
}

export function createServiceCounters(): ServiceCounters {
  return {
    votes: { stored: 0, cooldown: 0 },
    reviews: 0,
    webhookRequests: { accepted: 0, rejected: 0, unanswered: 0 },
  };
}

export function countVote({ votes }: ServiceCounters, { recorded }: { readonly recorded: boolean }): void {
  votes[recorded ? 'stored' : 'cooldown'] += 1;
}
