/** A listing as it is configured: one server or one bot on the service, with its own key and secrets. */
export interface Listing {
  /** Names it in the ledger, for good. */
  readonly name: string;
  readonly kind: 'server' | 'bot';
  /** Discord id of the server or bot; null where it need not be known. */
  readonly id: string | null;
  readonly lookupKey: string | null;
  readonly voteSecrets: readonly string[];
  readonly premiumSecrets: readonly string[];
  readonly voteAuthorization: string | null;
  readonly announceChannelId: string | null;
  readonly premiumChannelId: string | null;
  /** Whole credits; the cooldown in ms. */
  readonly terms: {
    readonly perVote: number;
    readonly perPremium: number;
    readonly whenDenied: number;
    readonly cooldown: number;
  };
}

/** Everything that can be set, checked and frozen. */
export interface Config {
  readonly production: boolean;
  readonly discord: { readonly token: string; readonly apiUrl: string; readonly guildId: string | null };
  readonly lookup: { readonly baseUrl: string };
  readonly listings: readonly Listing[];
  readonly databaseUrl: string;
  readonly cacheUrl: string;
  readonly http: { readonly host: string; readonly port: number };
  readonly ownerToken: string | null;
  readonly logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';
  /** The file of the listings, where everybody on this machine may read it. */
  readonly exposedFile: string | null;
  /** Every secret in it, for the log to cut out. */
  readonly secrets: readonly string[];
}

/** One thing that is wrong with the settings, and what to do about it. */
export interface Fault {
  readonly setting: string;
  readonly problem: string;
  readonly cure: string;
}

/** The settings are faulty: all faults at once, each with its cure. No value of a secret is in it. */
export class FaultyConfig extends Error {
  readonly faults: readonly Fault[];

  constructor(faults: readonly Fault[]) {
    const lines = faults.map(({ setting, problem, cure }) => `  ${setting} ${problem}\n    → ${cure}`);
    super(`The settings have ${faults.length === 1 ? 'a fault' : `${faults.length} faults`}:\n${lines.join('\n')}`);
    this.name = 'FaultyConfig';
    this.faults = faults;
  }
}
