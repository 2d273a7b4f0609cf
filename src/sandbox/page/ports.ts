import type { EventEmitter } from 'node:events';
import type { CheckResult } from '@tallyhook/platform/doctor/check';
import type { ServiceListingKind } from 'listing-service';
import type { Tone } from 'local-discord/page';

/** The result of a vote. */
export type VoteResult =
  | {
      readonly outcome: 'recorded';
      /** ms since the epoch */
      readonly nextVoteAt: number;
      /** False if the listing has no webhook, so that the bot does not receive the vote. */
      readonly isDelivered: boolean;
    }
  | { readonly outcome: 'too_soon' /** ms since the epoch */; readonly nextVoteAt: number }
  | { readonly outcome: 'refused'; readonly reason: string };

/** An event other than a delivery. */
export interface TimelineLine {
  readonly kind: 'line';
  /** ms since the epoch */
  readonly at: number;
  readonly source: 'service' | 'bot' | 'sandbox';
  readonly tone: Tone;
  readonly text: string;
}

/** A step of a delivery. */
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
  | 'unannounced'
  | 'buried';

/** A step of a delivery: what happened to it, and when. */
export interface Step {
  readonly name: StepName;
  readonly tone: Tone;
  readonly text: string;
  /** ms since the epoch, sandbox clock */
  readonly at: number;
  /** Time since the delivery was received (ms of real time). */
  readonly afterMs: number;
}

/** One delivery from its first byte to its announcement; sent again whenever a step is added. */
export interface TimelineDelivery {
  readonly kind: 'delivery';
  readonly id: number;
  /** When it was received (ms since the epoch, sandbox clock). */
  readonly at: number;
  readonly title: string;
  /** The event type that it names, unverified; null if it names none. */
  readonly event: string | null;
  readonly steps: readonly Step[];
  /** True if no further steps are expected. */
  readonly isSettled: boolean;
}

/** An item of the timeline on the page, by `kind`. */
export type TimelineItem = TimelineLine | TimelineDelivery;

/** An item with a key; a later item with the same key replaces it. */
export type KeyedItem = TimelineItem & { readonly key: string };

/** The events of a sandbox. */
export interface SandboxEvents {
  /** A new line, or a delivery with a new step. */
  timeline: [TimelineItem];
  /** The clock was advanced, or an outage started or ended. */
  simulation: [];
  /** A step of a tour that happened outside the page is done. */
  tour: [step: string];
}

/** The faults that the page can inject: labels of buttons, tooltips, and the part that is down meanwhile. */
export const faults = {
  repeat: { label: 'Repeat delivery', hint: 'Sends the last delivery again, byte for byte' },
  break_signature: { label: 'Break signature', hint: 'Sends a vote with an invalid signature' },
  unknown_event: { label: 'Unknown event', hint: 'Sends a signed event of an unknown type' },
  discord_down: { label: 'Discord down', hint: 'Stops Discord for 10 seconds', down: 'discord' },
  service_down: { label: 'Service down', hint: 'Stops the listing service for 10 seconds', down: 'service' },
  move_clock: { label: '+12 hours', hint: 'Advances the clock of the bot, Discord and the service' },
} as const satisfies Record<string, { label: string; hint: string; down?: keyof Outages }>;
export type FaultAction = keyof typeof faults;
export const faultActions = Object.keys(faults) as FaultAction[];

/** The parts that are currently down. */
export interface Outages {
  readonly discord: boolean;
  readonly service: boolean;
}

export const tourNames = ['vote', 'own', 'run'] as const;
export type TourName = (typeof tourNames)[number];

/** The progress of the tours, which is the same in every open page. */
export interface Tours {
  /** The names of the steps that were done. */
  readonly done: readonly string[];
  /** Which one is shown. */
  readonly chosen: TourName;
  finish(step: string): void;
  choose(tour: TourName): void;
}

/** Offers of the page that exist only if the command line has started the sandbox. */
export interface CommandLine {
  /** How this machine runs tallyhook: `npm run tallyhook`. */
  readonly program: string;
  /** Stops the sandbox, and starts the one with or without listings, which has files of its own. */
  startOver(next: StartOver): void;
}

export interface StartOver {
  readonly linked: boolean;
  /** The tour to show. */
  readonly tour: TourName;
}

/** A listing on the service, or on another site that the sandbox imitates. */
export interface VotableListing {
  readonly kind: ServiceListingKind;
  readonly name: string;
  readonly site?: {
    readonly id: string;
    readonly name: string;
    /** The vote page of the real site, and the local one that is opened in its place. */
    readonly page: string;
    readonly localPage: string;
  };
}

/** The parts of the sandbox that the page needs; implemented by `sandbox.ts`. */
export interface PagePorts {
  /** The listings that members can vote for: those of the service first. */
  readonly listings: readonly VotableListing[];
  /** The address of a new link that signs in to the owner's console, once; null before the bot has started. */
  consoleLink(): string | null;
  /** The address of the owner's console, to sign in with Discord; null before the bot has started. */
  dashboard(): string | null;
  /** The base URL of the service's own pages, if it has any. */
  readonly serviceUrl?: string;
  /** True if the bot knows the listings at the start; otherwise they are linked with `/setup`. */
  readonly isLinked: boolean;
  readonly tours: Tours;
  readonly commandLine?: CommandLine | undefined;
  /** The findings of `tallyhook doctor` in the sandbox. */
  runDoctor(): Promise<readonly CheckResult[]>;
  /** Votes for a listing of the service, or of the site with this id, which then sends a delivery. */
  castVote(vote: { userId: string; kind: ServiceListingKind; site?: string | undefined }): Promise<VoteResult>;
  /** A member's balance (credits); null if it is not available. */
  credits(userId: string): Promise<number | null>;
  /** Injects a fault on behalf of a member; returns what was done, as text for the page. */
  injectFault(what: FaultAction, userId: string): Promise<string>;
  readonly outages: Outages;
  readonly events: EventEmitter<SandboxEvents>;
}
