import { BoundedMap } from '@tallyhook/platform/bounded-map';
import type { Clock } from '@tallyhook/platform/clock';
import { minute } from '@tallyhook/platform/durations';
import type { ResolvedFile } from '../src/discord/commands/input.ts';
import type { RoleAccess } from '../src/features/roles/inspect-roles.ts';
import type { CommunitySettings, KeyCheck, LinkResult, SettingsAuthor } from '../src/features/setup/community.ts';
import type { Setup } from '../src/features/setup/setup.ts';
import type { SimulateChange } from '../src/features/setup/simulate-change.ts';

export interface SetupServices {
  readonly settings: Setup;
  readonly simulateChange: SimulateChange;
  readonly checks: SetupChecks;
  readonly drafts: ReturnType<typeof createSetupDrafts>;
  readonly connections: Connections;
  /** Has the vote panel of a guild posted in a channel, in place of the one before. Rejects with the errors of the store. */
  readonly postVotePanel: (guildId: string, channelId: string) => Promise<void>;
  /** Whether the guild has a vote panel, or will have one in a moment. */
  readonly hasVotePanel: (guildId: string) => Promise<boolean>;
}

/** What top.gg has connected, and what is held until the member who has connected it confirms it here. */
export interface Connections {
  heldFor(
    guildId: string,
    userId: string,
  ): Promise<readonly { readonly listing: string; readonly kind: 'server' | 'bot'; readonly targetId: string }[]>;
  /** Links what is held for the author under the name of a listing; null if nothing is. */
  confirm(listing: string, author: SettingsAuthor): Promise<LinkResult | null>;
}

/** What `/setup` asks the listing service and Discord before it saves. */
export interface SetupChecks {
  /**
   * Asks the service, once, which listing an API key belongs to; twice if its kind is not known (null) and it is a bot. The
   * key is neither logged nor part of an error. Managers of a guild can check ten keys a minute, over all processes, so
   * that nobody guesses keys from the operator's address.
   */
  checkKey(guildId: string, kind: 'server' | 'bot' | null, key: string): Promise<KeyCheck>;
  /** Whether the operator has named the document's service; otherwise listings are on other sites alone. */
  readonly hasService: boolean;
  /** The page on which the owner of a guild's listing finds its API key; null if there is none that Discord can link. */
  dashboardOf(guildId: string): Promise<string | null>;
  /**
   * A link that connects the guild's listing on the service, for this member and ten minutes, and the name that the listing
   * gets; null if the service does not offer it. Never rejects for what the service does.
   */
  connectOffer(
    community: CommunitySettings,
    userId: string,
  ): Promise<{ readonly url: string; readonly listing: string } | null>;
  /** Where members vote for a listing; null if it is not known, or not in time. */
  votePage(listing: string): Promise<string | null>;
  /**
   * The names of listings on the service, by their configured names: external text. Those that the service does not
   * name in time are missing. Never rejects.
   */
  listingNames(listings: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** What the bot may do with the roles of a guild; null if Discord does not say in time. */
  roleAccess(guildId: string): Promise<RoleAccess | null>;
  /** The ids of the channels of a guild, without threads; null if Discord does not say in time. */
  channelsOf(guildId: string): Promise<ReadonlySet<string> | null>;
  /** The text of a file that a member uploaded; null if it is too long, no text, or cannot be read in time. */
  readUpload(file: ResolvedFile): Promise<string | null>;
  /** The names of the operator's listings that belong to no known guild: nobody can be distinguished from their owner. */
  unassignedListings(): readonly string[];
}

/** The fields of a submitted form by name. */
type Fields = Readonly<Record<string, string | readonly string[] | boolean>>;

/** How long an edit can be continued (ms): as long as Discord's components of the message usually are. */
const lifetimeMs = 15 * minute;
const maxDrafts = 500;

/** What members entered into forms that could not be saved. In the memory of this process. */
export function createSetupDrafts(clock: Pick<Clock, 'monotonic'>) {
  const drafts = new BoundedMap<{ readonly fields: Fields; readonly until: number }>(maxDrafts);
  return {
    put: (key: string, fields: Fields) => void drafts.set(key, { fields, until: clock.monotonic() + lifetimeMs }),
    /** Null if there is none, or it is too old. */
    find(key: string): Fields | null {
      const draft = drafts.get(key);
      if (draft === undefined || draft.until < clock.monotonic()) return null;
      return draft.fields;
    },
  };
}
