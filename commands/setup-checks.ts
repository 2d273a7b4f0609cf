/** What `/setup` asks the listing service and Discord before it saves. */
export interface SetupChecks {
  /**
   * Asks the service, once, which listing an API key belongs to. The key is neither logged nor part of an error. Managers
   * of a guild can check ten keys a minute, over all processes, so that nobody guesses keys from the operator's address.
   */
  checkKey(guildId: string, kind: 'server' | 'bot', key: string): Promise<KeyCheck>;
  /**
   * The names of listings on the service, by their configured names: external text. Those that the service does not
   * name in time are missing. Never rejects.
   */
  listingNames(listings: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** What the bot may do with the roles of a guild; null if Discord does not say in time. */
  roleAccess(guildId: string): Promise<RoleAccess | null>;
  /** The ids of the channels of a guild, without threads; null if Discord does not say in time. */
  channelsOf(guildId: string): Promise<ReadonlySet<string> | null>;
  /** The names of the operator's listings that belong to no known guild: nobody can be distinguished from their owner. */
  unassignedListings(): readonly string[];
}

export type KeyCheck =
  | {
      readonly status: 'valid';
      /** External text. */
      readonly name: string;
      /** Discord id of the server or bot; null if the service does not say. */
      readonly targetId: string | null;
    }
  | { readonly status: 'refused' | 'wrongKind' | 'malformed' }
  /** `tooMany`: the guild has checked ten keys within a minute. `retryAt` is in ms since the epoch. */
  | { readonly status: 'unreachable' | 'tooMany'; readonly retryAt: number };

export interface RoleAccess {
  readonly mayManageRoles: boolean;
  /** The member who owns the guild. */
  readonly ownerId: string;
  /** By the id of the role: whether it is below the bot's highest role, and if not, why nobody gets it from the bot. */
  readonly roles: ReadonlyMap<string, 'below' | 'above' | 'managed'>;
  /** The order of the roles by id: 0 for @everyone, the lowest. */
  readonly positions: ReadonlyMap<string, number>;
  /** The roles with permissions of a moderator. */
  readonly moderating: ReadonlySet<string>;
}
