import type { Markup } from '@tallyhook/platform/texts/markup';
import type { Standings } from '../src/core/ledger/standing.ts';
import type { RecordedVotes } from '../src/core/store/standings/votes-per-day.ts';
import type { AnsweringContext, SlashCommand } from '../src/discord/commands/command.ts';
import type { Claims } from '../src/features/claims/parts.ts';
import type { CoveredCommunity, ListedRules } from '../src/features/communities/listings.ts';
import type { Awards } from '../src/features/corrections/awards.ts';
import type { Gifts } from '../src/features/gifts/parts.ts';
import type { RefusedVotes } from '../src/features/guards/parts.ts';
import type { createMemberDataAccess } from '../src/features/member-data/parts.ts';
import type { StatedNextVote } from '../src/features/next-votes/store.ts';
import type { DrawVotePicture } from '../src/features/parts.ts';
import type { Raffles } from '../src/features/raffles/parts.ts';
import type { Reminders } from '../src/features/reminders/service.ts';
import type { SetupServices } from '../src/features/settings/services.ts';
import type { Shop } from '../src/features/shop/parts.ts';
import type { Traces } from '../src/features/traces/parts.ts';
import type { Texts } from '../src/texts/texts.ts';

export interface CommandContext extends AnsweringContext {
  /**
   * The communities whose accounts the command covers: that of the guild, or those in which the member has an account.
   * Null if the program has only one community, which every guild has then.
   */
  readonly communities: readonly CoveredCommunity[] | null;
  readonly commands: readonly Command[];
  readonly standings: Standings;
  /** The rules of each listing of the community, with or without a key. */
  readonly rules: readonly ListedRules[];
  /** The display name of a listing as far as it is known now, by its configured name. External text. */
  readonly displayName: (listing: string) => string;
  /** How many votes for a listing of the community have arrived here. Rejects with the error of the store. */
  readonly recordedVotes: (listing: string) => Promise<RecordedVotes>;
  readonly drawVotePicture: DrawVotePicture;
  /** The prizes and the raffle of the current periods, a line each. */
  readonly season: (texts: Texts) => readonly Markup[];
  readonly claims: Claims;
  /**
   * The names of those on a board who have left the guild, by id.
   * @param guildId null if it is not known: then it is that of the first community
   */
  readonly findDeparted: (guildId: string | null, userIds: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** Null where managers may not change accounts: in guilds without a listing of their own. */
  readonly awards: Awards | null;
  readonly memberData: ReturnType<typeof createMemberDataAccess>;
  /** When a member may vote again, as the deliveries of other sites have stated it. */
  readonly nextVotesOf: (userId: string) => Promise<readonly StatedNextVote[]>;
  /** Null in a guild without a listing. */
  readonly raffles: Raffles | null;
  readonly reminders: Reminders;
  /** Null if settings cannot be stored; then there is no `/setup`. */
  readonly setup: SetupServices | null;
  readonly shop: Omit<Shop, 'unreadyItems'>;
  /** Null where {@link CommandContext.awards} is. */
  readonly refusedVotes: RefusedVotes | null;
  /** Gifts of members to each other. */
  readonly gifts: Gifts;
  /** Null where {@link CommandContext.awards} is. */
  readonly traces: Traces | null;
}

export type UnlocalizedContext = Omit<CommandContext, 'texts'>;

export type Command = SlashCommand<CommandContext>;
