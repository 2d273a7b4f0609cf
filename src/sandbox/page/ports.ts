import type { EventEmitter } from 'node:events';

export type ListingKind = 'server' | 'bot';

/** What the service says to a vote. */
export type VoteResult =
  | { readonly outcome: 'recorded' /** ms since the epoch */; readonly nextVoteAt: number }
  | { readonly outcome: 'too_soon' /** ms since the epoch */; readonly nextVoteAt: number }
  | { readonly outcome: 'refused'; readonly reason: string };

/** Something that happened on the way from the vote to the announcement. */
export interface TimelineLine {
  /** ms since the epoch */
  readonly at: number;
  /** Where it happened. */
  readonly where: 'service' | 'bot' | 'discord';
  readonly tone: 'good' | 'plain' | 'bad';
  /** One short sentence. */
  readonly text: string;
}

/** The rest of the sandbox, as the page sees it. Whoever puts the sandbox together hands it in. */
export interface PagePorts {
  /** The listings that can be voted for, with their names. */
  readonly listings: readonly { readonly kind: ListingKind; readonly name: string }[];
  /** The pages of the service, if they can be visited. */
  readonly serviceUrl?: string;
  /** Votes on the service, which then sends its signed webhook. */
  castVote(vote: { readonly userId: string; readonly kind: ListingKind }): Promise<VoteResult>;
  /** A member's balance (credits); null while the bot cannot tell. */
  credits(userId: string): Promise<number | null>;
  /** Tells of every delivery and of whatever else is worth a line. */
  readonly timeline: EventEmitter<{ line: [TimelineLine] }>;
}
