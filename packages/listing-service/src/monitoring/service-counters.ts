/** Counters of this process since its start, as plain numbers that `/metrics` reads. */
export type ServiceCounters = ReturnType<typeof createServiceCounters>;

export function createServiceCounters() {
  return {
    /** Votes that were stored, and those that came during the cooldown. */
    votes: { stored: 0, cooldown: 0 },
    /** Reviews that were written or edited. */
    reviews: 0,
    /** Requests to webhooks: answered with 2xx, answered with another status, and not answered. */
    webhookRequests: { accepted: 0, rejected: 0, unanswered: 0 },
  };
}

export function countVote({ votes }: ServiceCounters, { recorded }: { readonly recorded: boolean }): void {
  votes[recorded ? 'stored' : 'cooldown'] += 1;
}
