/** A command that this program has registered with Discord. @category Commands */
export interface RegisteredCommand {
  readonly id: string;
  readonly applicationId: string;
  /** Null for a global command. */
  readonly guildId: string | null;
  readonly name: string;
}

/** A command of the registry with what was registered. */
export interface StoredCommand extends RegisteredCommand {
  /** As `definitionOf` writes it; null if an earlier installation has registered the command. */
  readonly definition: string | null;
}

/**
 * Stores which of an application's commands are ours, because Discord does not record which program registered a
 * command. Only a command in this registry, and with the stored definition, is changed, deleted or answered.
 */
export interface CommandRegistry {
  /** The stored commands of an application, in every guild and globally. */
  list(applicationId: string): Promise<readonly StoredCommand[]>;
  /** Whether a command id is stored. */
  has(id: string): Promise<boolean>;
  /** Inserts or replaces the row of this id. */
  save(command: StoredCommand): Promise<void>;
  remove(id: string): Promise<void>;
}
