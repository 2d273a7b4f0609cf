import type { AuthScheme } from '../load/auth-scheme.ts';
import { type VoterOrder, voterCounts } from '../load/vote.ts';

/** A server that accepts votes. */
export interface Contender {
  readonly name: ContenderName;
  /** Its file in `contenders/`. */
  readonly module: string;
  readonly title: string;
  readonly dialect: AuthScheme;
  /** Whether it stores votes; then it receives each vote once. */
  readonly storesVotes: boolean;
  /** Whether an acknowledged vote is on disk. */
  readonly isDurable: boolean;
  readonly voters: VoterOrder;
  /** Number of listings in the configuration; the votes are spread over them. */
  readonly listings: number;
  /** Members who have voted before. */
  readonly members: number;
  /** Whether every rule for rewards applies to every vote. */
  readonly rewards: boolean;
  readonly discord: DiscordKind;
  /** The site that its listing is on; null for the document's service. */
  readonly site: 'topgg' | null;
}

/** Whether Discord and the service respond and limit, or accept connections and never respond. */
export type DiscordKind = 'responding' | 'silent';

export type ContenderName =
  | 'tallyhook'
  | 'tallyhook-topgg'
  | 'tallyhook-scattered'
  | 'tallyhook-shuffled'
  | 'tallyhook-listings'
  | 'tallyhook-rewards'
  | 'tallyhook-silent'
  | 'bare-http'
  | 'express'
  | 'express-sqlite'
  | 'express-keyv'
  | 'top-gg'
  | 'octokit'
  | 'fastify'
  | 'hono';

/** The path at which every contender accepts votes. A listing on another site has its own address. */
export const path = '/webhooks/vote';

/** The Discord and the listing service of a bot. */
export interface Surroundings {
  readonly discordUrl: string;
  readonly token: string;
  readonly channelId: string;
  readonly guildId: string;
  /** Roles below the bot's. */
  readonly roles: { readonly voter: string; readonly milestone: string };
  readonly lookupUrl: string;
  readonly lookupKey: string;
}

/** What a contender is started with. */
export interface Setting extends Pick<Contender, 'listings' | 'members' | 'rewards' | 'site'> {
  /** Its own. */
  readonly directory: string;
  readonly surroundings: Surroundings;
}

/** The export `start` of each file in `contenders/`: listens on a free port of 127.0.0.1 and returns it. */
export type Start = (setting: Setting) => Promise<number>;

function sample(name: ContenderName, title: string, more: Partial<Contender> = {}): Contender {
  return {
    name,
    module: name,
    title,
    dialect: 'tallyhook',
    storesVotes: false,
    isDurable: false,
    voters: 'sequential',
    listings: 1,
    members: 0,
    rewards: false,
    discord: 'silent',
    site: null,
    ...more,
  };
}

function tallyhook(name: ContenderName, title: string, more: Partial<Contender> = {}): Contender {
  const stores = { storesVotes: true, isDurable: true };
  return sample(name, title, { module: 'tallyhook', discord: 'responding', ...stores, ...more });
}

/** Those of a goal are neighbours as far as possible, because the ratio of two runs at different times is less precise. */
export const contenders: readonly Contender[] = [
  sample('fastify', 'Fastify 5, the same as on Express'),
  sample('hono', 'Hono 4 on @hono/node-server, the same'),
  sample('top-gg', "@top-gg/sdk's listener on Express (compares a header, no HMAC)", { dialect: 'top.gg' }),
  sample('octokit', "@octokit/webhooks' middleware", { dialect: 'github' }),
  sample('bare-http', 'bare node:http, HMAC'),
  sample('express', 'Express sample: express.json, HMAC of JSON.stringify'),
  tallyhook('tallyhook', '**tallyhook**'),
  tallyhook('tallyhook-topgg', 'tallyhook with a listing on top.gg, version 1', {
    dialect: 'top.gg v1',
    site: 'topgg',
  }),
  tallyhook('tallyhook-shuffled', 'tallyhook, voters in random order', { voters: 'shuffled' }),
  tallyhook('tallyhook-listings', 'tallyhook with 1,000 listings', { listings: 1_000 }),
  tallyhook('tallyhook-rewards', 'tallyhook with every rule for every vote', { rewards: true }),
  tallyhook('tallyhook-scattered', 'tallyhook, scattered voters of a million members', {
    voters: 'scattered',
    members: voterCounts.scattered,
  }),
  tallyhook('tallyhook-silent', 'tallyhook with a silent Discord', { discord: 'silent' }),
  sample('express-sqlite', 'Express sample + a SQLite transaction per vote', { storesVotes: true, isDurable: true }),
  sample('express-keyv', 'Express sample + Keyv get and set of a balance', { storesVotes: true }),
];

/** @throws Error for one that is not in the list */
export function contenderNamed(name: ContenderName): Contender {
  const contender = contenders.find((each) => each.name === name);
  if (contender === undefined) throw new Error(`There is no contender "${name}".`);
  return contender;
}
