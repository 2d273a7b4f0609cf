import type { Clock } from '@tallyhook/platform/clock';
import type { Log } from '@tallyhook/platform/log';
import type { CommunityId } from '../core/ledger/account.ts';
import type { OutboxChanges } from '../core/outbox/outbox.ts';
import type { DeliveryRecord } from '../core/records/records.ts';
import type { SessionRevocations } from '../core/store/coordination.ts';
import type { Recordings } from '../core/tally/recorder.ts';
import type { GuildReader } from '../discord/guild-reader.ts';
import type { Pictures } from '../discord/pictures.ts';
import type { CommunityListing } from '../features/communities/feature.ts';
import type { CorrectionStore, Reversals } from '../features/corrections/store.ts';
import type { EndpointAccess } from '../features/events/feature.ts';
import type { StatedNextVote } from '../features/next-votes/store.ts';
import type { ConsoleCard } from '../features/parts.ts';
import type { Decision, HeldListing } from '../features/rate-alarms/store.ts';
import type { SetupServices } from '../features/settings/services.ts';
import type { Settlement } from '../features/shop/purchase.ts';
import type { PurchaseStore } from '../features/shop/store.ts';
import type { ApiToken } from '../features/tokens/store.ts';
import type { Tokens } from '../features/tokens/tokens.ts';
import type { RecordsContext } from '../features/traces/delivery-details.ts';
import type { AppTexts } from '../texts/texts.ts';
import type { Outcome } from '../webhook/response.ts';
import type { Activity } from './activity.ts';
import type { SignInLinks } from './authentication.ts';
import type { CommunityScope, OwnerCommunities } from './communities.ts';
import type { EventStream } from './event-stream.ts';
import type { ReadNames } from './names.ts';

export interface ComponentStatus {
  readonly ready: boolean;
  readonly reason?: string;
}

export interface BudgetStatus {
  readonly listing: string;
  readonly left: number | null;
  /** Requests per minute and key (document, section 8). */
  readonly limit: number;
  readonly keyRefused: boolean;
  readonly wrongShape: boolean;
}

/** Processes a quarantined or refused delivery again with the current rules. Rejects as {@link Recorder} does. */
type ReplayDelivery = (
  delivery: DeliveryRecord,
) => Promise<{ readonly outcome: Outcome; readonly reason: string | null; readonly credits: number }>;

interface OwnerGuilds {
  /** The guilds of the communities whose guild is known. */
  ids(): readonly string[];
  /** The scope of a guild's community; null if there is none. */
  scopeOf(guildId: string): CommunityScope | null;
  scopeOfCommunity(communityId: CommunityId): CommunityScope | null;
  /** Reads guilds and members from Discord; null in a process without a bot token. */
  readonly reader: GuildReader | null;
  /** Pictures of members and guilds; by default there are none. */
  readonly pictures?: Pictures | null;
}

/** Purchases in the shops of communities. */
interface Purchases {
  readonly list: PurchaseStore['purchasesIn'];
  readonly find: PurchaseStore['purchaseIn'];
  readonly settle: (settlement: Settlement) => ReturnType<PurchaseStore['settle']>;
}

export interface OwnerContext extends RecordsContext {
  /** The community that all of this is about; null for all of them. */
  readonly scope: CommunityScope | null;
  readonly guilds: OwnerGuilds;
  readonly languages: AppTexts;
  /** The settings of all communities, each by its guild; null if none can be stored. */
  readonly setup: SetupServices | null;
  /** The corrections of people, of one community or (null) of all. */
  readonly corrections: Pick<CorrectionStore, 'authored'>;
  /** Names in a community, or in all of them: `namesIn(scope)`. */
  readonly namesIn: (scope: CommunityScope | null) => ReadNames;
  readonly outbox: Pick<OutboxChanges, 'requeue'>;
  readonly recorder: Pick<Recordings, 'correct'>;
  readonly sessions: SessionRevocations;
  readonly communities: OwnerCommunities;
  readonly rewards: RewardRecords;
  readonly replay: ReplayDelivery;
  /** The configured listings, also those that only the variables imply. */
  readonly listings: () => readonly CommunityListing[];
  readonly alarms: {
    held(): Promise<readonly HeldListing[]>;
    /** False if there is nothing to decide. It is carried out by those processes that receive. */
    decide(listing: string, decision: Decision): Promise<boolean>;
  };
  readonly reversals: Reversals;
  readonly purchases: Purchases;
  readonly tokens: Pick<Tokens, 'list' | 'create' | 'revoke' | 'verify'>;
  /** Sends events to who reads them. */
  readonly stream: Pick<EventStream, 'send'>;
  /** The endpoints of communities that hear of events. */
  readonly endpoints: Pick<EndpointAccess, 'list' | 'attempts' | 'test' | 'resume' | 'resend'>;
  /** A member's next votes as the sites of listings stated them; by default none. */
  readonly nextVotes?: (userId: string) => Promise<readonly StatedNextVote[]>;
  readonly health: () => Promise<Readonly<Record<string, ComponentStatus>>>;
  readonly budgets: () => Promise<readonly BudgetStatus[]>;
  /** Makes the worker check the queue, since an effect is waiting. */
  readonly nudge: (queue: string) => void;
  /** Links that sign in without the token; by default there are none. */
  readonly signInLinks?: SignInLinks | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** The sender of a request to the API. What it may see and change is in the context. */
export interface Caller {
  readonly context: OwnerContext;
  /** Who changes something: `operator`, or the author that a token is. */
  readonly author: string;
  /** Null for the operator, who may do everything. */
  readonly token: ApiToken | null;
}

/** The owner's view of the rewards. Rejects with the driver's error if the database cannot be read. */
interface RewardRecords {
  readonly cards: readonly ConsoleCard[];
  /** By the calendar of the community; of all listings by that of the first one. @param scope null for all listings */
  activity(scope: CommunityScope | null): Promise<Activity>;
  /** How many purchases wait for the owner. @param scope null for all */
  waitingOrders(scope: CommunityScope | null): Promise<number>;
}
