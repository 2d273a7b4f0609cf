/**
 * `tallyhook/discord`: slash commands of your own beside those of tallyhook, and their registration.
 * @module
 */

export type { Locale } from '@tallyhook/platform/texts/locale';
export {
  bold,
  channelMention,
  escapeName,
  escapeText,
  joined,
  lines,
  link,
  type Markup,
  markup,
  mention,
  type Plain,
  roleMention,
  subtext,
  type TimestampStyle,
  timestamp,
} from '@tallyhook/platform/texts/markup';

export type {
  CommandChanges,
  CommandOptions,
  CustomCommand,
  CustomCommandContext,
  CustomDescriptionContext,
  DiscordJsCommand,
  OwnCommand,
} from '../../commands/custom-command.ts';
export { type RegisterOptions, registerCommands } from '../app/register-commands.ts';
export type { Milestone } from '../core/rewards/rules.ts';
export type {
  ApplicationCommandBody,
  CommandChoice,
  CommandData,
  CommandInput,
  CommandOption,
  CompletionInput,
  ListedLookup,
  NamedCommand,
  NativeCommand,
  PostingPermission,
  ResolvedChannel,
  ResolvedFile,
  ResolvedObjects,
  ResolvedRole,
  ResolvedUser,
} from '../discord/commands/command.ts';
export { InputError } from '../discord/commands/command.ts';
export type {
  ActionTarget,
  Later,
  Modal,
  ModalField,
  OptionValue,
  Panel,
  PanelBlock,
  Reply,
  ReplyButton,
  ReplyField,
  ReplyFile,
  ReplySelect,
  Select,
  SelectChoice,
  SelectSource,
} from '../discord/commands/reply.ts';
export type { DiscordClient } from '../discord/gateway/own-client.ts';
export type { AnyInteraction } from '../discord/interactions/interactions.ts';
export type { CommandReference, RegisteredCommand } from '../discord/registration/command-shape.ts';
export type { RegistrationReport } from '../discord/registration/registration.ts';
export type { CoveredCommunity, ListedRules } from '../features/communities/listings.ts';

export type { Awards } from '../features/corrections/awards.ts';
export type { TextOverrides } from '../texts/texts.ts';
