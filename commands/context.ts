import type { Standings } from '../src/core/ledger/standing.ts';
import type { AnsweringContext, ListedLookup, SlashCommand } from '../src/discord/commands/command.ts';
import type { Claims } from '../src/features/claims/claims.ts';
import type { ListedRules } from '../src/features/communities/listings.ts';
import type { Awards } from '../src/features/corrections/awards.ts';
import type { Reminders } from '../src/features/reminders/service.ts';
import type { Shop } from '../src/features/shop/shop.ts';
import type { MemberDataAccess } from './member-data.ts';
import type { SetupServices } from './setup-services.ts';
import type { Traces } from './traces.ts';
import type { DrawVotePicture } from './vote-picture.ts';

/** A community that a command covers: its accounts, and the listings whose votes they are paid for. */
export interface CoveredCommunity {
  /** Names it in the options of components, which can be forged: the id of its guild, or `home` without one. */
  readonly id: string;
  /** Null if it is not known. */
  readonly guildId: string | null;
  readonly listings: readonly ListedLookup[];
  readonly rules: readonly ListedRules[];
  readonly standings: Standings;
}

/** The dependencies of a command. */
export interface CommandContext extends AnsweringContext {
  /**
   * The communities whose accounts the command covers: that of the guild, or those in which the member has an account.
   * Null if the program has only one community, which every guild has then.
   */
  readonly communities: readonly CoveredCommunity[] | null;
  /** All commands, whether or not the listings support them. */
  readonly commands: readonly Command[];
  /** Null where managers may not change accounts: in guilds without a listing of their own. */
  readonly awards: Awards | null;
  /** @internal */
  readonly reminders: Reminders;
  /** Of the first of the communities. */
  readonly standings: Standings;
  /** Of each listing of the community, whether or not it has a key. */
  readonly rules: readonly ListedRules[];
  /** @internal */
  readonly shop: Shop;
  /** @internal */
  readonly claims: Claims;
  /** @internal */
  readonly memberData: MemberDataAccess;
  /** Null where {@link awards} is. @internal */
  readonly traces: Traces | null;
  /** @internal */
  readonly drawVotePicture: DrawVotePicture;
  /** Null if settings cannot be stored; then there is no `/setup`. @internal */
  readonly setup: SetupServices | null;
}

/** The context of a command in any language. */
export type UnlocalizedContext = Omit<CommandContext, 'texts'>;

/** A slash command of the program. */
export type Command = SlashCommand<CommandContext>;
