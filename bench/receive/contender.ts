import type { AuthScheme } from '../load/auth-scheme.ts';

/** A server that accepts votes. */
export interface Contender {
  /** The name of its file in `contenders/`. */
  readonly name: ContenderName;
  readonly title: string;
  readonly dialect: AuthScheme;
  /** Whether an acknowledged vote is on disk. */
  readonly isDurable: boolean;
}

export type ContenderName =
  | 'tallyhook'
  | 'bare-http'
  | 'express'
  | 'express-sqlite'
  | 'express-keyv'
  | 'top-gg'
  | 'octokit'
  | 'fastify'
  | 'hono';

/** The path at which every contender accepts votes. */
export const path = '/webhooks/vote';

/** A contender's directory, and the address of a Discord that never responds. */
export interface Setting {
  readonly directory: string;
  readonly silentDiscord: string;
}

/** The export `start` of each file in `contenders/`: listens on a free port of 127.0.0.1 and returns it. */
export type Start = (setting: Setting) => Promise<number>;

/** Contenders without storage first, then those with storage. */
export const contenders: readonly Contender[] = [
  { name: 'bare-http', title: 'bare node:http, HMAC', dialect: 'tallyhook', isDurable: false },
  {
    name: 'express',
    title: 'Express sample: express.json, HMAC of JSON.stringify',
    dialect: 'tallyhook',
    isDurable: false,
  },
  { name: 'fastify', title: 'Fastify 5, the same', dialect: 'tallyhook', isDurable: false },
  { name: 'hono', title: 'Hono 4 on @hono/node-server, the same', dialect: 'tallyhook', isDurable: false },
  {
    name: 'top-gg',
    title: "@top-gg/sdk's listener on Express (compares a header, no HMAC)",
    dialect: 'top.gg',
    isDurable: false,
  },
  { name: 'octokit', title: "@octokit/webhooks' middleware", dialect: 'github', isDurable: false },
  {
    name: 'express-sqlite',
    title: 'Express sample + a SQLite transaction per vote',
    dialect: 'tallyhook',
    isDurable: true,
  },
  {
    name: 'express-keyv',
    title: 'Express sample + Keyv get and set of a balance',
    dialect: 'tallyhook',
    isDurable: false,
  },
  { name: 'tallyhook', title: '**tallyhook**', dialect: 'tallyhook', isDurable: true },
];
