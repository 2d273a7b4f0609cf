/** A slash command that this program has registered with Discord. */
export interface RegisteredCommand {
  /** The command's id. */
  readonly id: string;
  readonly applicationId: string;
  /** Null for a global command. */
  readonly guildId: string | null;
  readonly name: string;
}

/**
 * Stores which of an application's commands are ours, because Discord does not record which program registered a
 * command. Only a command in this registry is changed, deleted or answered.
 */
export interface CommandRegistry {
  /** The stored commands of an application, in every guild and globally. */
  list(applicationId: string): Promise<readonly RegisteredCommand[]>;
  /** Whether a command id is stored. */
  has(id: string): Promise<boolean>;
  /** Inserts or replaces the row of this id. */
  save(command: RegisteredCommand): Promise<void>;
  remove(id: string): Promise<void>;
}
