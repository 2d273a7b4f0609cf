/** A listing as it is configured: one server or one bot on the service, with its own key and secrets. */
export interface ListingConfig {
  /** Names it in the ledger, for good. */
  readonly name: string;
  readonly kind: 'server' | 'bot';
  /** Discord id of the server or bot; null where it need not be known. */
  readonly id: string | null;
  /** It was not asked for by name: variables describe a server and a bot, and this one of the two has no API key. */
  readonly implied: boolean;
  /** Its API key (document, section 5); null: the service is asked nothing about it. */
  readonly lookupKey: string | null;
  /** All of them are valid at once, for rotation; with none every signed vote is refused (document, section 5.7). */
  readonly voteSecrets: readonly string[];
  /** The same for premium events. */
  readonly premiumSecrets: readonly string[];
  /** The whole Authorization value that unsigned server votes may carry; null: none may come unsigned. */
  readonly voteAuthorization: string | null;
  /** Where votes are announced; null for nowhere. */
  readonly announceChannelId: string | null;
  /** Where premium is announced; null for nowhere. */
  readonly premiumChannelId: string | null;
  /** Whole credits; the cooldown in ms. */
  readonly rules: {
    readonly perVote: number;
    readonly perPremium: number;
    readonly whenDenied: number;
    readonly cooldownMs: number;
  };
}

/** Everything that can be set, checked and frozen. */
export interface Config {
  /** `apiUrl` without the version; `guildId` null registers the commands everywhere. */
  readonly discord: { readonly token: string; readonly apiUrl: string; readonly guildId: string | null };
  /** Ends in `/api/v1`, without a slash after it (document, section 1). */
  readonly lookup: { readonly baseUrl: string };
  readonly listings: readonly ListingConfig[];
  /** `sqlite:` and a path, or `postgres://…`. */
  readonly databaseUrl: string;
  /** `memory:`, `sqlite:` and a path, or `redis://…` (also `rediss://…`). */
  readonly cacheUrl: string;
  /** Port 0 takes any that is free. */
  readonly http: { readonly host: string; readonly port: number };
  /** Null: there is neither an owner's API nor a console. */
  readonly ownerToken: string | null;
  readonly logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';
  /** `auto`: for people where the log goes to a terminal, JSON elsewhere. */
  readonly logFormat: 'auto' | 'json' | 'pretty';
  /** What is no fault, but most likely not meant. */
  readonly warnings: readonly ConfigIssue[];
  /** Every secret in it, for the log to cut out. */
  readonly secrets: readonly string[];
}

/** One thing that is wrong with the settings, and what to do about it. */
export interface ConfigIssue {
  readonly setting: string;
  readonly problem: string;
  readonly hint: string;
}

/** The settings are faulty: all faults at once, each with its cure. No value of a secret is in it. */
export class InvalidConfigError extends Error {
  readonly issues: readonly ConfigIssue[];

  constructor(issues: readonly ConfigIssue[]) {
    const lines = issues.map(({ setting, problem, hint: cure }) => `  ${setting} ${problem}\n    → ${cure}`);
    super(`The settings have ${issues.length === 1 ? 'a fault' : `${issues.length} faults`}:\n${lines.join('\n')}`);
    this.name = 'FaultyConfig';
    this.issues = issues;
  }
}
