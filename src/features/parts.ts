import type { RetryLater } from '@tallyhook/platform/attempt-result';
import type { Clock } from '@tallyhook/platform/clock';
import type { Finding } from '@tallyhook/platform/doctor/check';
import type { Log } from '@tallyhook/platform/log';
import type { Loop } from '@tallyhook/platform/loop';
import type { Markup } from '@tallyhook/platform/texts/markup';
import type { Html } from '@tallyhook/platform/web/html';
import type { RequestHandler } from 'express';
import type { Config } from '../../config/schema.ts';
import type { CardSource } from '../core/announcements/announcement.ts';
import type { CommunityId } from '../core/ledger/account.ts';
import type { Metrics } from '../core/metrics.ts';
import type { DirectMessage, Effect, MessageType } from '../core/outbox/effect-kind.ts';
import type { EffectHandler } from '../core/outbox/perform.ts';
import type { QueueName } from '../core/outbox/queue.ts';
import type { AnsweringContext, CommandInput } from '../discord/commands/command.ts';
import type { Reply, ReplyButton, ReplyFile } from '../discord/commands/reply.ts';
import type { FindDeparted, Portraits } from '../discord/known-guilds.ts';
import type { ChannelTexts, GuildTexts, MemberTexts } from '../discord/languages.ts';
import type { ApplicationSettings } from '../discord/registration/application-settings.ts';
import type { DiscordRest } from '../discord/rest.ts';
import type { AppTexts, Texts } from '../texts/texts.ts';
import type { createAnnouncements } from './announcements/announcements.ts';
import type { Community, Directory } from './communities/directory.ts';
import type { LookupClients } from './communities/feature.ts';

export type AnnouncementsOfListings = ReturnType<typeof createAnnouncements>;

/**
 * The context of every feature in each process. A feature that needs more, such as its own statements or what another
 * one shares, adds it to the type of its parameter.
 */
export interface ServicesContext {
  readonly config: Config;
  readonly languages: AppTexts;
  readonly rest: DiscordRest;
  readonly findDeparted: FindDeparted;
  readonly directory: Directory;
  readonly lookups: LookupClients;
  readonly drawVotePicture: DrawVotePicture;
  /** Polls these queues of the outbox, in every process. */
  readonly nudge: (queues: readonly QueueName[]) => void;
  readonly metrics: Metrics;
  readonly clock: Clock;
  /** Real time, for the connection to Discord. */
  readonly stopwatch: Clock;
  readonly log: Log;
}

/** The services of a feature for commands and other features; everything optional. */
export interface FeatureServices {
  /** Joins the contexts of the services of later features, and of the parts of all. */
  readonly shared?: object;
  /** Fields of the context of commands that are the same everywhere. */
  readonly commands?: object;
  /**
   * Fields of the context of commands that depend on the communities a command covers. Called once for the same
   * settings.
   */
  readonly commandsIn?: (place: CommandCoverage) => object;
  /** The notice that a member gets after a command, once; null for none. */
  readonly noticeFor?: (userId: string, context: NoticeContext) => Promise<Reply | null>;
  /** Called after a member has used a command. */
  readonly onMemberSeen?: (input: CommandInput) => void;
  /** Run in processes that answer. */
  readonly loops?: readonly Loop[];
  /** Pages of its own. */
  readonly routes?: RequestHandler;
  /** On the console's overview, or on a page of its own. */
  readonly cards?: readonly ConsoleCard[];
}

export interface ConsoleCard {
  readonly id: string;
  readonly title: (texts: Texts) => string;
  /** The page that it is on, in place of the overview. */
  readonly page?: 'orders';
  /** True if it shows one community alone where the view has a scope; others are shown to the operator only. */
  readonly isScoped?: true;
  /** Null if there is nothing to show. Rejects with the errors of the store. */
  readonly render: (view: CardView) => Promise<Html | null>;
}

export interface CardView {
  /** The community that is shown; null for all. */
  readonly scope: { readonly guildId: string; readonly communityId: CommunityId } | null;
  readonly texts: Texts;
  /** Reads the names of these members, and links each of them by it. */
  readonly memberLinks: (userIds: readonly string[]) => Promise<(userId: string) => Html>;
  /** By name, if it is known. */
  readonly role: (id: string) => Html;
  readonly text: (text: string) => Html;
  readonly reason: (reason: string) => Html;
  readonly markup: (text: Markup) => Html;
  /** A button that sends a form to this path below the console. */
  readonly form: (path: string, label: string) => Html;
}

export interface VotePictureRequest {
  /** The names of the listings whose votes are added up. They belong to one community. */
  readonly listings: readonly string[];
  readonly texts: Texts;
  /** 1 for replies: 900 × 450 pixels. 2 for messages that stay: twice as sharp, and twice as large. */
  readonly scale: 1 | 2;
  /** ms since the epoch */
  readonly now: number;
}

/** An image to attach, with its alt text. */
export interface VotePicture {
  readonly file: ReplyFile;
  /** The words of the picture in a language whose script it cannot draw; null if it has words itself. */
  readonly caption: string | null;
}

/**
 * Draws the counted votes per day of the last 30 days. Null if they began less than a week ago, when they would say
 * little beside the counts of the service, or if the picture cannot be drawn. Never rejects, but may take seconds.
 * Returns the same object again while votes and language are the same.
 */
export type DrawVotePicture = (request: VotePictureRequest) => Promise<VotePicture | null>;

export interface CommandCoverage {
  /** The communities whose accounts it is about; the first one decides where there can be only one. */
  readonly communities: readonly Community[];
  /** True if managers of the guild may change accounts. */
  readonly isManaged: boolean;
  /** True if the program has no other community. */
  readonly isOnly: boolean;
}

export type NoticeContext = Pick<AnsweringContext, 'commandId' | 'texts'>;

export interface PartsContext extends ServicesContext {
  readonly announcements: AnnouncementsOfListings;
  /** Texts in the language of a channel, a guild or a member. */
  readonly channelTexts: ChannelTexts;
  readonly guildTexts: GuildTexts;
  readonly memberTexts: MemberTexts;
  readonly portraits: Portraits;
  /** The name and page of a listing on the service. */
  readonly cardOf: CardSource;
  /** The buttons below every announcement of votes. */
  readonly voteButtons: (texts: Texts) => readonly ReplyButton[];
}

export interface FeatureParts {
  /** Carry out effects, see {@link handle}. */
  readonly effects?: readonly EffectHandler[];
  /** Send direct messages, see {@link sendMessage}. */
  readonly directMessages?: readonly DirectMessageSender[];
  /** Render reports to the owner, see {@link renderReport}. */
  readonly ownerReports?: readonly OwnerReportRenderer[];
  /** The regular announcements of a community. The same objects are used as long as its settings are the same. */
  readonly tasks?: (community: Community) => readonly AnnouncementTask[];
  /** Called before the tasks, none of which runs until it succeeds. */
  readonly prepareTasks?: () => Promise<void>;
  readonly loops?: readonly Loop[];
  /** Called when Discord says that a member accepts no direct messages. */
  readonly onDirectMessagesClosed?: (userId: string) => Promise<void>;
}

/** A direct message as it is sent now. */
export interface Sendable<Message extends object = object> {
  /** The message as it is stored by now. */
  readonly message: Message;
  /** The channel in which it mentions the member, who accepts no direct messages; null or missing to send it to them. */
  readonly channelId?: string | null;
}

export interface DirectMessageSender<Type extends string = string, Message extends object = object> {
  readonly type: Type;
  /** @param isPublic true in a channel, where others see it and use its buttons */
  render(message: Message, texts: Texts, isPublic: boolean): Promise<Reply>;
  /** Called before each attempt: what is sent, null if nothing is wanted any more, or when to find out. By default all. */
  prepare?(message: Message, effect: Effect<DirectMessage>): Promise<Sendable<Message> | RetryLater | null>;
  /**
   * True if the channel contains the message, posted at `since` (ms since the epoch) or later. Without it, a message
   * whose first attempt has an unknown result may be sent twice.
   */
  isIn?(channelId: string, message: Message, since: number): Promise<boolean>;
  /** True if it also goes to those who have left every server of the bot, whose messages Discord rejects. */
  readonly reachesStrangers?: true;
}

export function sendMessage<Type extends string, Message extends object>(
  { type }: MessageType<Type, Message>,
  sender: Omit<DirectMessageSender<Type, Message>, 'type'>,
): DirectMessageSender<Type> {
  // A message of the type has its fields: the outbox has parsed it.
  return { type, ...sender };
}

export interface OwnerReportRenderer<Type extends string = string> {
  readonly type: Type;
  render(report: object, texts: Texts): Reply;
}

export function renderReport<Type extends string, Report extends object>(
  { type }: MessageType<Type, Report>,
  render: (report: Report & { readonly type: Type }, texts: Texts) => Reply,
): OwnerReportRenderer<Type> {
  // A report of the type has its fields: the outbox has parsed it.
  return { type, render };
}

/** A part of the application in Discord that a feature publishes besides its commands. */
export interface Publication {
  readonly settings: ApplicationSettings;
  /**
   * A check of `tallyhook doctor`: its name, and whether Discord has these settings. Rejects as {@link DiscordRest}.
   */
  readonly name: string;
  readonly check: (rest: DiscordRest, applicationId: string) => Promise<readonly Finding[]>;
}

export interface AnnouncementTask {
  readonly name: string;
  /** Returns the queue of a new effect, or null. Called again after an error. */
  readonly run: () => Promise<QueueName | null>;
}
