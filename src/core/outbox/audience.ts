import { addedValue } from '../added-value.ts';
import type { CommunityId } from '../ledger/account.ts';

/** Which events a receiver outside of the program gets: all that a transaction has to know of it. */
export interface HearingEndpoint {
  /** Unique in its community. */
  readonly id: string;
  /** The types of events; null for all. */
  readonly events: readonly string[] | null;
}

/** Which endpoint receives what, of the rules of a listing, by which its votes are recorded. */
export const hearingEndpoints = addedValue<readonly HearingEndpoint[]>('hears', []);

/** Who hears the events of a community, beside Discord. Plain data. */
export interface Audience {
  readonly communityId: CommunityId;
  /** Null for listings without a guild. */
  readonly guildId: string | null;
  readonly endpoints: readonly HearingEndpoint[];
  /** True if events are kept for the stream of the API, because somebody may read it. */
  readonly isStreamed: boolean;
}
