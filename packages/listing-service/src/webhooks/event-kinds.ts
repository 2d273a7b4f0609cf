/** The event types: those of webhooks of the service, and the premium lifecycle. */
export type WebhookEventKind = VoteKind | 'premium_purchase' | LifecycleEvent;
type VoteKind = 'server_vote' | 'bot_vote';

/** The later event of a premium order. */
export type LifecycleEvent = 'subscription.renewed' | 'subscription.expired' | 'subscription.revoked';

/** Each family of events has a webhook with its own address and secret. */
export type WebhookFamily = 'vote' | 'premium';

export function voteKindOf(kind: 'server' | 'bot'): VoteKind {
  return kind === 'server' ? 'server_vote' : 'bot_vote';
}

export function familyOf(kind: WebhookEventKind): WebhookFamily {
  return kind === 'server_vote' || kind === 'bot_vote' ? 'vote' : 'premium';
}
