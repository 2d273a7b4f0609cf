import type { RequestListener } from 'node:http';
import type { Config } from '../../config/schema.ts';
import type { Ledger } from '../core/ledger/program-ledger.ts';
import type { Standings } from '../core/ledger/standing.ts';
import type { WebhookRoutes } from '../core/receiving/webhook-routes.ts';
import type { ApplicationCommandBody } from '../discord/commands/command.ts';
import type { AnyInteraction } from '../discord/interactions/interactions.ts';
import type { PostedServerCount } from '../features/server-counts/posted-count.ts';

/** A complete tallyhook instance. @category Start here */
export interface App extends WebhookRoutes {
  /**
   * Balances, votes, entries and leaderboards, and changes of balances. Rejects with TallyhookError
   * `already_stopped` after {@link stop}, as `standings` does.
   */
  readonly ledger: Ledger;
  /** Rank, streak and leaderboards of the members, if there is one community. */
  readonly standings: Standings;
  /** All routes: webhooks, health, metrics, and the owner's API and console. */
  readonly http: RequestListener;
  /**
   * Connects to Discord and starts to process the outbox. With `listen: false` it does not open a port.
   * Returns the URL that it listens on; null if it does not listen or was stopped meanwhile.
   * @throws TallyhookError `cannot_listen`, `already_started`, or `already_stopped`: after {@link stop} create another one
   */
  start(options?: { listen?: boolean }): Promise<string | null>;
  /**
   * The commands as Discord's API takes them, those in the menu of a member and your own included, in the scope of the settings: add them to the list
   * that a deploy script of yours puts in place of all commands. Needs no connection.
   * @example
   * ```ts
   * import { REST, Routes, type RESTPutAPIApplicationCommandsJSONBody } from 'discord.js';
   * import type { App } from 'tallyhook';
   *
   * async function deploy(app: App, rest: REST, applicationId: string, own: RESTPutAPIApplicationCommandsJSONBody) {
   *   await rest.put(Routes.applicationCommands(applicationId), { body: [...own, ...app.commandData()] });
   * }
   * ```
   */
  commandData(): ApplicationCommandBody[];
  /**
   * Sends the bot's number of servers and shards to the sites of its listings that take them: those of bots, with the
   * site's API token (`siteKey`), that the operator has configured, and those with the id of this bot that were linked in
   * Discord. With the setting `POST_SERVER_COUNT` it is done every 30 minutes; calls in between are allowed. Resolves
   * when all sites have responded. A site whose limit leaves no request is among the failed ones, as `lookup_over_budget`.
   * @throws TallyhookError `no_token` without a bot token, `already_stopped`; or the error of Discord, if it does not say the counts
   * @example
   * ```ts
   * import type { App } from 'tallyhook';
   *
   * async function post(app: App): Promise<void> {
   *   const { servers, sent, failed } = await app.postServerCount();
   *   console.log(`${servers} servers:`, sent.map(({ site }) => site));
   *   for (const { site, reason } of failed) console.error(site, reason);
   * }
   * ```
   */
  postServerCount(): Promise<PostedServerCount>;
  /**
   * True if tallyhook answers an interaction, so that your handler leaves it alone: one of its commands, buttons,
   * selects or modals, of discord.js or as Discord sends it. Commands are known by their ids; while they are registered
   * for the first time after {@link start}, by their names.
   */
  owns(interaction: AnyInteraction): boolean;
  /**
   * Replaces all webhook secrets and API keys with those of a configuration that has the same listings, without a
   * restart.
   * @throws TallyhookError `lookup_key_malformed`; then nothing is replaced
   */
  reloadSecrets(config: Config): void;
  /**
   * Stops requests, effects and commands, each of which may finish within a few seconds, then closes the cache and the
   * store. Takes less than 10 s. Every acknowledged delivery is on disk.
   */
  stop(): Promise<void>;
}
