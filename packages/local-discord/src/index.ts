/**
 * A Discord on this machine: REST, gateway, interactions, permissions and rate limits, for tests of any bot and for trying it without
 * an account. {@link startLocalDiscord} starts it, {@link createTestBot} connects a client of discord.js.
 * @module
 */

export type { CommandSchema } from './command-schema.ts';
export type { StoredCommand } from './commands.ts';
export type { ActionRow, Button, Select } from './component-schema.ts';
export type { SentDispatch } from './connection.ts';
export type { DefaultGuildOptions, Person, RoleIds } from './default-guild.ts';
export type { RecordedRequest } from './diagnostics.ts';
export type { StateChange } from './discord-state.ts';
export { LocalDiscordError, RejectedByClientError } from './errors.ts';
export type { FaultControls } from './faults.ts';
export type { FileInput, StoredFile } from './files.ts';
export type { RecordedIdentify } from './gateway.ts';
export type { GuildControls, ThreadStart } from './guild-controls.ts';
export type { Callback, ReceivedCallback } from './interactions.ts';
export { startLocalDiscord } from './local-discord.ts';
export type {
  AutocompleteAction,
  Choice,
  CommandAction,
  ComponentAction,
  InteractionHandle,
  LocalDiscord,
  LocalDiscordOptions,
  ModalAction,
  UserCommandAction,
} from './local-discord-interface.ts';
export type { Localizations } from './locales.ts';
export type { Embed } from './message-schema.ts';
export type { Modal, SubmittedValues } from './modal.ts';
export type { AuthorizationControls, OAuthApplication } from './oauth.ts';
export type {
  Attachment,
  Identified,
  Inner,
  InteractionMetadata,
  Media,
  Message,
  Normalized,
  NormalizedComponent,
  NormalizedContainer,
  NormalizedControl,
  NormalizedEmbed,
  NormalizedFile,
  NormalizedGallery,
  NormalizedRow,
  NormalizedSection,
  NormalizedSeparator,
  NormalizedText,
  NormalizedThumbnail,
  Shown,
  Thread,
  ThreadMember,
  User,
} from './objects.ts';
export { controlsOf, textsOf } from './objects.ts';
export type { PermissionName } from './permissions.ts';
export { isPersistent, type PersistedState, persistedState } from './persistence.ts';
export type { OptionInput } from './resolve-command.ts';
export type {
  LinkedRoleCondition,
  LinkedRoleControls,
  RoleConnectionObject,
  RoleConnectionRecord,
} from './role-connections.ts';
export type {
  BotClient,
  TestBot,
  TestBotOptions,
  TestCommandOptions,
  TestMember,
  TestReply,
} from './test-bot/interface.ts';
export { createTestBot } from './test-bot/test-bot.ts';
