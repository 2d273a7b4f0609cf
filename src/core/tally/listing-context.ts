import type { HandlerKind } from '../outbox/handler-events.ts';
import type { ListingRewards } from '../rewards/rules.ts';
import type { CommunityContext } from './community.ts';

/** The part of a configured listing that recording an event needs. */
export interface ListingContext {
  readonly name: string;
  readonly kind: 'server' | 'bot';
  /** Discord ID of the server or bot; null if the configuration does not need it. */
  readonly id: string | null;
  /** The other site that it is on; missing for the document's service. */
  readonly siteId?: string;
  readonly rewards: ListingRewards;
  readonly community: CommunityContext;
  readonly announced: AnnouncedEvents;
  /** Channel for announcements of votes; null for none. */
  readonly announceChannelId: string | null;
  /** Channel for announcements of premium events; null for none. */
  readonly premiumChannelId: string | null;
  /** The kinds of handlers that are called for its events; none by default. */
  readonly handled?: readonly HandlerKind[];
}

/**
 * What of a listing is announced as it is recorded. Tests are announced in any case. Features add theirs, see
 * {@link AddedValue}, and their settings with this `event` say whether it is on.
 */
export interface AnnouncedEvents {
  /** Every vote. Otherwise only those that reach a milestone, if milestones are announced. */
  readonly votes: boolean;
  readonly milestones: boolean;
  readonly premium: boolean;
}
