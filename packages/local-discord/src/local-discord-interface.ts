import type { EventEmitter } from 'node:events';
import type { Clock } from '@tallyhook/platform/clock';
import type { Logger } from '@tallyhook/platform/logger';
import type { StoredCommand } from './commands.ts';
import type { SentDispatch } from './connection.ts';
import type { DefaultGuildOptions, Person, RoleIds } from './default-guild.ts';
import type { RecordedRequest } from './diagnostics.ts';
import type { StateChange } from './discord-state.ts';
import type { FaultControls } from './faults.ts';
import type { RecordedIdentify } from './gateway.ts';
import type { GuildControls } from './guild-controls.ts';
import type { ReceivedCallback } from './interactions.ts';
import type { Localizations } from './locales.ts';
import type { SubmittedValues } from './modal.ts';
import type { AuthorizationControls, OAuthApplication } from './oauth.ts';
import type { Message } from './objects.ts';
import type { PageExtension } from './page/page-extension.ts';
import type { PersistedState } from './persistence.ts';
import type { OptionInput } from './resolve-command.ts';
import type { LinkedRoleControls } from './role-connections.ts';

/** Options of {@link startLocalDiscord}. Everything has a default. */
export interface LocalDiscordOptions extends DefaultGuildOptions {
  /** The bot's token (default: a random one in Discord's format). The public key follows from it. */
  readonly token?: string;
  /** 0 (default) selects a free port. */
  readonly port?: number;
  /** The address to listen on (default: 127.0.0.1). */
  readonly host?: string;
  /** Simulated time, for ids and timestamps. `speed`: its seconds per second of real time (default: 1), for the page. */
  readonly clock?: Clock & { readonly speed?: number };
  /** Real time, for timeouts, rate limits, heartbeats, outages and the lifetime of nonces. */
  readonly stopwatch?: Clock;
  readonly log?: Logger;
  /** False disables rate limits. */
  readonly rateLimits?: boolean;
  /** Milliseconds (default: 41,250, as on Discord). */
  readonly heartbeatInterval?: number;
  /** The privileged intents that are enabled for the application (bit set; default: none). */
  readonly grantedIntents?: number;
  /** How many shards may identify in 5 s; the sessions of others are invalid. No limit by default. */
  readonly maxConcurrency?: number;
  /** Applications besides the bot's, to which members give permissions by OAuth2. */
  readonly applications?: readonly OAuthApplication[];
  /** The state from an earlier run. */
  readonly initialState?: PersistedState | null;
  /** Serves a page at `/` on which people use the bot as the guild's members (default: false). */
  readonly page?: boolean;
  /** Adds panels to the page, which is then served. @internal */
  readonly pageExtension?: PageExtension;
}

/** A Discord server for tests and the sandbox: one guild, a few members, and a client for each of them. */
export interface LocalDiscord {
  /** For DISCORD_API_URL; discord.js adds `/v10`. */
  readonly apiUrl: string;
  readonly gatewayUrl: string;
  /** The base URL of the page, without a trailing slash. */
  readonly origin: string;
  /** Resolves when the page can be served. @throws LocalDiscordError `page_not_bundled` */
  pageReady(): Promise<void>;
  readonly token: string;
  /**
   * Variables for a bot in a process of its own, which run it unchanged: `DISCORD_TOKEN`, `DISCORD_API_URL`, `CLIENT_ID`,
   * `GUILD_ID`, and `NODE_OPTIONS` with a module that directs discord.js 14 to this server.
   */
  readonly botEnvironment: Readonly<Record<string, string>>;
  readonly applicationId: string;
  /** The key that interactions over HTTP are signed with (hex). */
  readonly publicKey: string;
  /** Where interactions are sent; null for the gateway. */
  readonly interactionsEndpoint: string | null;
  /**
   * Sends interactions to a URL from now on, as its owner sets it on Discord's developer portal; null for the gateway.
   * @throws LocalDiscordError `discord_refusal` if the endpoint does not answer a signed PING, or answers an unsigned one
   */
  setInteractionsEndpoint(url: string | null): Promise<void>;
  readonly guildId: string;
  /** Ids; the bot is in neither the guild of `otherGuild` nor the `group`, where members use the app of their account. */
  readonly channels: {
    readonly general: string;
    readonly announcements: string;
    readonly premium: string;
    readonly otherGuild: string;
    readonly group: string;
  };
  /** Ids; `bot` is the bot's own role, `moderator` and `owner` are above it, the others below. */
  readonly roles: RoleIds;
  readonly members: readonly Person[];
  /** True if a bot is connected to the gateway. */
  readonly connected: boolean;
  readonly faults: FaultControls;
  /** Changes of roles and members that people make on Discord. */
  readonly guild: GuildControls;
  /** For DISCORD_CLIENT_SECRET. */
  readonly clientSecret: string;
  /** The permissions that members have given: `deauthorize`, `expireAccessTokens`. */
  readonly oauth: AuthorizationControls;
  /** Linked roles: what the application has published, the members' connections, and the owner's `linkRole`. */
  readonly connections: LinkedRoleControls;
  /** All requests, oldest first. */
  readonly requests: readonly RecordedRequest[];
  /** All dispatches sent to bots, oldest first. */
  readonly dispatches: readonly SentDispatch[];
  /** All identifies of bots, oldest first. */
  readonly identifies: readonly RecordedIdentify[];
  readonly events: EventEmitter<{ change: [StateChange]; request: [RecordedRequest] }>;

  /** Uses a slash command as a member. @throws RejectedByClientError if the client would not send it */
  runCommand(action: CommandAction): InteractionHandle;
  /** Uses a command in the menu of a member. @throws RejectedByClientError if the client would not send it */
  runUserCommand(action: UserCommandAction): InteractionHandle;
  /** Clicks a button of a message. @throws RejectedByClientError */
  clickButton(messageId: string, customId: string, userId: string): InteractionHandle;
  /** Submits a select. @throws RejectedByClientError */
  select(action: ComponentAction): InteractionHandle;
  /** Types in an option with autocomplete; resolves with the bot's choices. @throws RejectedByClientError */
  autocomplete(action: AutocompleteAction): Promise<readonly Choice[]>;
  /** Submits a modal that the bot opened for a member. @throws RejectedByClientError */
  submitModal(action: ModalAction): InteractionHandle;
  /** `#general`, or "a direct message"; undefined for an unknown channel. */
  channelName(channelId: string): string | undefined;
  /** The messages of a channel, oldest first: visible to all, visible to one member, or (null) all including ephemeral ones. */
  messages(channelId: string, viewerId?: string | null): readonly Message[];
  /** The direct messages of a member, oldest first. */
  directMessages(userId: string): readonly Message[];
  /** The ids of a member's roles. */
  rolesOf(userId: string): readonly string[];
  /** The state to pass to the next run as `initialState`. */
  exportState(): PersistedState;
  /** The commands available in the guild. */
  commands(): readonly StoredCommand[];
  stop(): Promise<void>;
}

/** A sent interaction and its responses. */
export interface InteractionHandle {
  readonly id: string;
  /** The callback; rejects with LocalDiscordError `application_did_not_respond` after 3 seconds without one. */
  readonly response: Promise<ReceivedCallback>;
  /** The message once it is more than "is thinking…"; rejects like `response`. */
  readonly settled: Promise<Message>;
  /** The current versions of the messages that the interaction created or edited. */
  readonly messages: readonly Message[];
}

/** A member uses a slash command. */
export interface CommandAction {
  /** Including subcommands, as in `role add`. */
  readonly name: string;
  readonly userId: string;
  readonly channelId: string;
  /** By option name; users, channels and roles as ids, an attachment as a file. */
  readonly options?: Readonly<Record<string, OptionInput>>;
  /** The language of the client for this action only (default: that of the member). */
  readonly locale?: string;
}

/** A member opens the menu of a user, and uses a command there. */
export interface UserCommandAction extends Omit<CommandAction, 'options'> {
  /** The user whose menu it is. */
  readonly targetId: string;
}

/** A member presses a button, or submits a select. */
export interface ComponentAction {
  readonly messageId: string;
  readonly customId: string;
  readonly userId: string;
  /** The selected values of a select. */
  readonly values?: readonly string[];
  /** The member's language, as in {@link CommandAction}. */
  readonly locale?: string;
}

/** A member types in an option of a slash command, and the others have these values. */
export interface AutocompleteAction extends CommandAction {
  /** The option that the member is typing in, and its text so far. */
  readonly focused: { readonly name: string; readonly value: string };
}

/** An autocomplete choice. */
export interface Choice {
  readonly name: string;
  readonly name_localizations?: Localizations;
  readonly value: string | number;
}

/** A member submits a modal. */
export interface ModalAction {
  /** The id of the interaction that opened it. */
  readonly interactionId: string;
  readonly userId: string;
  /** By the custom ids of the fields. */
  readonly values: SubmittedValues;
}
