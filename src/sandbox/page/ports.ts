import type { EventEmitter } from 'node:events';

export type ListingKind = 'server' | 'bot';

/** What the service says to a vote. */
export type VoteResult =
  | { readonly outcome: 'recorded' /** ms since the epoch */; readonly nextVoteAt: number }
  | { readonly outcome: 'too_soon' /** ms since the epoch */; readonly nextVoteAt: number }
  | { readonly outcome: 'refused'; readonly reason: string };

export type Tone = 'good' | 'plain' | 'bad';

/** Something that happened beside the deliveries. */
export interface TimelineLine {
  readonly kind: 'line';
  /** ms since the epoch */
  readonly at: number;
  /** Where it happened. */
  readonly source: 'service' | 'bot' | 'discord' | 'sandbox';
  readonly tone: Tone;
  /** One short sentence. */
  readonly text: string;
}

/** How far a delivery has come. */
export type StepName =
  | 'received'
  | 'verified'
  | 'refused'
  | 'recorded'
  | 'duplicate'
  | 'test'
  | 'quarantined'
  | 'credited'
  | 'waiting'
  | 'announced'
  | 'buried';

export interface Step {
  readonly name: StepName;
  readonly tone: Tone;
  readonly text: string;
  /** ms since the epoch, by the sandbox's clock */
  readonly at: number;
  /** Since the delivery was received (ms that really passed). */
  readonly afterMs: number;
}

/** One delivery from its first byte to its announcement; told again whenever a step is added. */
export interface TimelineDelivery {
  readonly kind: 'delivery';
  readonly id: number;
  /** When it was received (ms since the epoch, by the sandbox's clock). */
  readonly at: number;
  /** What it says, in a few words. */
  readonly title: string;
  /** The kind of event that it claims to be; null where it names none. */
  readonly event: string | null;
  readonly steps: readonly Step[];
  /** Whether no further step is to be expected. */
  readonly isSettled: boolean;
}

export type TimelineItem = TimelineLine | TimelineDelivery;

/** What can be done to see how the bot bears it. */
export const faultActions = [
  'repeat',
  'break_signature',
  'unknown_event',
  'discord_down',
  'service_down',
  'move_clock',
] as const;
export type FaultAction = (typeof faultActions)[number];

/** What is out of order at the moment. */
export interface Outages {
  readonly discord: boolean;
  readonly service: boolean;
}

/** The sandbox's clock as the page has to know it. */
export interface PageClock {
  now(): number;
  /** How many seconds pass in the sandbox while one passes outside. */
  readonly speed: number;
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
  /** Makes trouble in a member's name. Says in a sentence what was done. */
  injectFault(what: FaultAction, userId: string): Promise<string>;
  readonly outages: Outages;
  readonly time: PageClock;
  readonly events: EventEmitter<{
    /** A line, or a delivery that has come further. */
    timeline: [TimelineItem];
    /** The clock was moved, or something went down or came back. */
    conditions: [];
  }>;
}
