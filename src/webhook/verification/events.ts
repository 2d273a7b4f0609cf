import type { EventKind, EventTarget, Premium, Vote } from '../event.ts';

/** A test that the owner has sent from the dashboard of the service. It must not pay anything. */
export interface TestEvent {
  readonly family: 'test';
  /** The kind of event that it simulates. */
  readonly kind: EventKind;
  /** Null if the test names no user. */
  readonly userId: string | null;
  readonly target: EventTarget;
}

/** The content of a genuine delivery. `family` tells votes, premium events and tests apart. */
export type VerifiedEvent = Vote | Premium | TestEvent;
