import type { AttemptResult } from '@tallyhook/platform/attempt-result';
import { type Fields, isObject, matches, parseJson } from '@tallyhook/platform/json';
import { isSnowflake } from '@tallyhook/platform/snowflake';
import type { Markup } from '@tallyhook/platform/texts/markup';
import type { Texts } from '../../texts/texts.ts';
import type { CommunityId } from '../ledger/account.ts';
import { parseQueue, type QueueName, queueName } from './queue.ts';

/** The format in which the outbox stores the contents of a kind of effect. */
export interface EffectFormat<Content extends object> {
  /** The contents that this parsed JSON holds; null if it is something else. Never throws. */
  readonly parse: (value: unknown) => Content | null;
  /** The contents without a member who is forgotten, as far as they are about others; null if nothing is left. */
  withoutMember?(content: Content, userId: string): Content | null;
}

/**
 * A kind of effect: its name in the database, and the type of its contents. Who enqueues one and who carries it out both
 * name it, so that they mean the same contents; what is in between knows them as JSON.
 */
export interface EffectKind<Name extends string = string, Content extends object = object>
  extends EffectFormat<Content> {
  readonly kind: Name;
}

/** All kinds by their names. Plain functions, because the write worker starts faster without a schema library. */
export type EffectFormats = Readonly<Record<string, EffectFormat<object>>>;

/** The kind of an effect with its contents. */
export interface Contents {
  readonly kind: string;
  readonly content: object;
}

/** Contents that this version cannot read, and why. */
export interface UnreadableContents {
  readonly kind: 'unreadable';
  readonly reason: string;
}

/** An effect of this kind. */
export function newEffect<Content extends object>(
  { kind }: EffectKind<string, Content>,
  effect: Omit<NewEffect, 'kind' | 'content'> & { readonly content: Content },
): NewEffect {
  return { kind, ...effect };
}

/** True if an effect is of this kind. Its contents are of the type then: they were parsed, or made by {@link newEffect}. */
export function isOf<Content extends object, Some extends object>(
  { kind }: EffectKind<string, Content>,
  effect: Some,
): effect is Some & { readonly content: Content } {
  return 'kind' in effect && effect.kind === kind;
}

/** The format of contents that are stored as they are. */
export function formatOf<Content extends object>(
  isContent: (value: unknown) => value is Content,
): EffectFormat<Content> {
  return { parse: (value) => (isContent(value) ? value : null) };
}

/** The format of contents that are stored as they are, with these fields. */
export function fieldsFormat<Content extends object>(fields: Fields<Content>): EffectFormat<Content> {
  return formatOf((value): value is Content => matches(value, fields));
}

export const announcementKind: EffectKind<'announcement', Announcement> = {
  kind: 'announcement',
  parse: parseAnnouncement,
  // The announcement of a gift belongs to its recipient.
  withoutMember: (content, userId) => (content.userId === userId ? null : { ...content, giftedBy: null }),
};

export const roleFields: Fields<MemberRole> = { guildId: ['string'], userId: ['string'], role: ['string'] };
/** A change of a role. */
export const roleKind: EffectKind<'role', RoleContent> = { kind: 'role', ...fieldsFormat<RoleContent>(roleFields) };

export const directMessageKind: EffectKind<'directMessage', DirectMessage> = {
  kind: 'directMessage',
  ...fieldsFormat<DirectMessage>({ userId: ['string'], message: ['object'] }),
};

export const ownerReportKind: EffectKind<'ownerReport', OwnerReport> = {
  kind: 'ownerReport',
  ...fieldsFormat<OwnerReport>({ channelId: ['string'], report: ['object'] }),
};

/** Records a delivery whose time was in the future. */
export const replayKind: EffectKind<'replay', { readonly deliveryId: number }> = {
  kind: 'replay',
  ...fieldsFormat<{ readonly deliveryId: number }>({ deliveryId: ['number'] }),
};

/** A type of direct message, or of report to the owner: its name in the contents of the effect, and what else it says. */
export interface MessageType<Type extends string = string, Message extends object = object> {
  readonly type: Type;
  readonly fields: Fields<Message>;
}

/** The formats of these kinds, and of those of the core, with all types of direct messages and of reports to the owner. */
export function formatsOf(
  kinds: readonly EffectKind[],
  directMessages: readonly MessageType[],
  ownerReports: readonly MessageType[],
): EffectFormats {
  const all: readonly EffectKind[] = [
    announcementKind,
    roleKind,
    replayKind,
    {
      ...directMessageKind,
      parse: (value) => withKnownType(directMessageKind.parse(value), 'message', directMessages),
    },
    { ...ownerReportKind, parse: (value) => withKnownType(ownerReportKind.parse(value), 'report', ownerReports) },
    ...kinds,
  ];
  return Object.fromEntries(all.map((each) => [each.kind, each]));
}

/** Null unless the message has one of the types and its fields. */
function withKnownType<Name extends string, Content extends Readonly<Record<Name, TypedMessage>>>(
  content: Content | null,
  name: Name,
  types: readonly MessageType[],
): Content | null {
  const message: unknown = content?.[name];
  const known = isObject(message) ? types.find(({ type }) => type === message['type']) : undefined;
  return known !== undefined && matches(message, known.fields) ? content : null;
}

/** The text for `effects.content`. */
export function serializeContent(effect: Contents): string {
  return isOf(announcementKind, effect) ? serializeAnnouncement(effect.content) : JSON.stringify(effect.content);
}

/** Parses `effects.content` of an effect of this kind. Never throws. */
export function parseContent(formats: EffectFormats, kind: string, text: string): Contents | UnreadableContents {
  const format = Object.hasOwn(formats, kind) ? formats[kind] : undefined;
  if (format === undefined) {
    return unreadable(`This version does not know effects of the kind "${kind.slice(0, 50)}".`);
  }
  const content = format.parse(parseJson(text));
  return content === null ? unreadable(`The contents are not those of the kind "${kind}".`) : { kind, content };
}

function unreadable(reason: string): UnreadableContents {
  return { kind: 'unreadable', reason: `${reason} A newer version may have stored it: replay it after an upgrade.` };
}

/**
 * Refuses an effect that is in the queue of something else, which would wait for others or overtake its own.
 * @throws RangeError
 */
export function assertOwnQueue(effect: NewEffect): void {
  if (!isInOwnQueue(effect)) throw new RangeError(`An effect of the kind "${effect.kind}" is in a queue of others.`);
}

function isInOwnQueue(effect: NewEffect): boolean {
  const { type, id } = parseQueue(effect.queue);
  if (isOf(announcementKind, effect)) return type === 'channel' && isSnowflake(id);
  const { content } = effect;
  if ('channelId' in content) return type === 'channel' && isSnowflake(id) && id === content.channelId;
  if (isOf(roleKind, effect)) return type === 'roles' && id === effect.content.guildId;
  if (isOf(directMessageKind, effect)) return type === 'dm' && id === effect.content.userId;
  return type !== 'channel';
}

/** A direct message of a type to a member. @param createdAt the current time (ms since the epoch) */
export function directMessage<Message extends object>(
  communityId: CommunityId,
  userId: string,
  { type }: MessageType<string, Message>,
  message: Message,
  createdAt: number,
): NewEffect {
  const queue = queueName('dm', communityId, userId);
  const content = { userId, message: { type, ...message } };
  return newEffect(directMessageKind, { queue, content, deliveryId: null, createdAt });
}

/** A report of a type in the owner's channel. @param createdAt the current time (ms since the epoch) */
export function ownerReport<Report extends object>(
  communityId: CommunityId,
  channelId: string,
  { type }: MessageType<string, Report>,
  report: Report,
  createdAt: number,
): NewEffect {
  const queue = queueName('channel', communityId, channelId);
  const content = { channelId, report: { type, ...report } };
  return newEffect(ownerReportKind, { queue, content, deliveryId: null, createdAt });
}

/** The name of a kind of effect in the language of the texts; a general one for a kind of another version. */
export function effectName(kind: string, { text, has }: Texts): Markup {
  return text(`trace.effects.${has('trace.effects', kind) ? kind : 'unknown'}`);
}

/** `waiting`: not finished, possibly leased. `buried`: failed permanently; only the owner can requeue it. */
export type EffectState = 'waiting' | 'done' | 'buried';

/** The fields of every effect. */
interface EffectRow {
  readonly id: number;
  /** The delivery that caused it; null without one. */
  readonly deliveryId: number | null;
  /** The name of the queue, such as of a channel, with a rate limit of its own: no queue delays another. */
  readonly queue: string;
  /** Number of attempts started. */
  readonly attempts: number;
  /** When it was stored (ms since the epoch). */
  readonly createdAt: number;
  /** The nonce of the message, shared by all effects in it. Discord drops a repeated message with the same nonce. */
  readonly nonce: string;
  /**
   * Start of the earliest attempt whose result is unknown (ms since the epoch): it may have succeeded. Null when no
   * earlier attempt can have succeeded.
   */
  readonly possiblySentSince: number | null;
  /** W3C `traceparent` of the span of its delivery; missing without tracing. */
  readonly traceparent?: string;
}

/** A side effect that still has to be carried out, with contents as its {@link EffectKind} says. */
export interface Effect<Content extends object = object> extends EffectRow {
  readonly kind: string;
  readonly content: Content;
}

/** A stored effect that this version cannot read: of an unknown kind, or with invalid contents. */
interface UnreadableEffect extends EffectRow {
  readonly kind: 'unreadable';
  /** Why it cannot be read. */
  readonly reason: string;
}

/** An effect as it is claimed. */
export type ClaimedEffect = Effect | UnreadableEffect;

/** The reason of a buried direct message that the member does not accept. */
export const directMessagesClosed = 'direct_messages_closed';

/** Carries out the effects of one claim: one effect, or the announcements of one message. Never throws. */
export type Perform = (effects: readonly ClaimedEffect[]) => Promise<AttemptResult>;

/** An effect as it is inserted together with its cause. {@link newEffect} makes one. */
export interface NewEffect {
  readonly kind: string;
  readonly content: object;
  /** Effects of one queue are rate-limited together; at most 100 characters. */
  readonly queue: QueueName;
  /** The delivery that caused it; null without one. */
  readonly deliveryId: number | null;
  /** The current time (ms since the epoch). */
  readonly createdAt: number;
  /** Set if it enters its queue later: at that time it is stored as a new effect. */
  readonly plan?: Plan;
  /** W3C `traceparent` of the span of its delivery; missing without tracing, and not stored for planned effects. */
  readonly traceparent?: string;
}

/** An effect that enters its queue later. */
export type PlannedEffect = NewEffect & { readonly plan: Plan };

declare const planned: unique symbol;

/**
 * Identifies a planned effect: its community, what it is, and the ids of what it is about, separated by spaces. A later
 * plan with the same key replaces the earlier one.
 */
export type PlanKey = string & { readonly [planned]: true };

export function planKey(communityId: CommunityId, name: string, ...ids: readonly string[]): PlanKey {
  return [communityId, name, ...ids].join(' ') as PlanKey;
}

/** When an effect is due, and how the plan is found again to be replaced or withdrawn. */
export interface Plan {
  readonly key: PlanKey;
  /** Ms since the epoch. */
  readonly dueAt: number;
  /** The member whom the effect concerns alone: it is withdrawn when the member is forgotten. */
  readonly userId?: string;
}

/** The contents of an announcement: all that is needed to post it without reading another table. */
export interface Announcement {
  /** The event type as in the payload (`server_vote`, `subscription.renewed`, …). */
  readonly event: string;
  /** True if the dashboard's test button sent the delivery. A test pays nothing. */
  readonly test: boolean;
  /** The name of the configured listing. */
  readonly listing: string;
  /** The voter or the holder of the purchase; null when the event names nobody. */
  readonly userId: string | null;
  /** Credits that this event paid. */
  readonly credits: number;
  /** The balance after it (credits); null without a user. */
  readonly balance: number | null;
  /** Why it paid nothing or less: `within_cooldown` or the service's own text; null when it paid in full. */
  readonly reason: string | null;
  /** When it happened (ms since the epoch). */
  readonly at: number;
  /** When the voter may vote again (ms since the epoch); null unless the event is a vote. */
  readonly nextVoteAt: number | null;
  /** The purchased tier, as the service names it. */
  readonly tier: string | null;
  /** The user who paid for a gift. */
  readonly giftedBy: string | null;
  /** The voter's streak after it (days); null unless a vote was counted. */
  readonly streak: number | null;
  /** How multipliers raised the credits of the event itself (`10 × 2`); null if none applied. */
  readonly calculation: string | null;
  /** Further rewards of the event. Their credits are part of `credits`. */
  readonly bonuses: readonly Bonus[];
  /** The roles that it gave or extended. */
  readonly roles: readonly GivenRole[];
}

/** A reward beside that of the event itself. */
export interface Bonus {
  readonly cause: string;
  /** Whole credits. */
  readonly credits: number;
  /** The days or votes that were reached; 0 if the cause has no number. */
  readonly count: number;
  /** Missing if it has no name of its own. */
  readonly name?: string;
}

/** A role that a member was given. */
export interface GivenRole {
  /** The id of the role. */
  readonly role: string;
  /** When it is removed (ms since the epoch); null if it stays. */
  readonly until: number | null;
}

/** A role of a member. Whether the member should have it is decided when the effect is carried out. */
export interface MemberRole {
  readonly guildId: string;
  readonly userId: string;
  /** The id of the role. */
  readonly role: string;
}

/** The contents of a role effect. */
export interface RoleContent extends MemberRole {
  /** True if the contents are deleted when it is finished, because the member was forgotten. */
  readonly erase?: true;
}

/** The contents of a direct message or of a report to the owner, by its type. */
export interface TypedMessage {
  readonly type: string;
}

/** A direct message to a member. */
export interface DirectMessage {
  readonly userId: string;
  readonly message: TypedMessage;
}

/** A message to the owner. */
export interface OwnerReport {
  /** The owner's channel. */
  readonly channelId: string;
  readonly report: TypedMessage;
}

/**
 * The text for `effects.content` of an announcement: its values without their names, which would double the length, and
 * without those at the end that say nothing, which a plain vote does not have. Later versions only add values at the end.
 */
function serializeAnnouncement(content: Announcement): string {
  const { event, test, listing, userId, credits, balance, at, nextVoteAt, streak } = content;
  const { calculation, reason, tier, giftedBy } = content;
  const values = [
    ...[event, test, listing, userId, credits, balance, at, nextVoteAt, streak, calculation, reason, tier, giftedBy],
    content.bonuses.map(({ cause, credits, count, name }) => [
      cause,
      credits,
      count,
      ...(name === undefined ? [] : [name]),
    ]),
    content.roles.map(({ role, until }) => [role, until]),
  ];
  const last = values.findLastIndex((value) => value !== null && !(Array.isArray(value) && value.length === 0));
  return JSON.stringify(values.slice(0, last + 1));
}

/** The fields of an announcement that are plain values. */
type PlainAnnouncement = Omit<Announcement, 'bonuses' | 'roles'>;

/** In stored order. */
const announcementFields: Fields<PlainAnnouncement> = {
  event: ['string'],
  test: ['boolean'],
  listing: ['string'],
  userId: ['string', null],
  credits: ['number'],
  balance: ['number', null],
  at: ['number'],
  nextVoteAt: ['number', null],
  streak: ['number', null],
  calculation: ['string', null],
  reason: ['string', null],
  tier: ['string', null],
  giftedBy: ['string', null],
};
const announcementNames = Object.keys(announcementFields);

/** Null if it is not what {@link serializeAnnouncement} writes. */
function parseAnnouncement(value: unknown): Announcement | null {
  if (!Array.isArray(value)) return null;
  const fields: unknown = Object.fromEntries(announcementNames.map((field, index) => [field, value[index] ?? null]));
  if (!matches(fields, announcementFields)) return null;
  const [bonuses = [], roles = []] = value.slice(announcementNames.length);
  if (!isListOf(bonuses, isStoredBonus) || !isListOf(roles, isStoredRole)) return null;
  return {
    ...fields,
    bonuses: bonuses.map(([cause, credits, count, name]): Bonus => ({ cause, credits, count, ...(name && { name }) })),
    roles: roles.map(([role, until]): GivenRole => ({ role, until })),
  };
}

function isListOf<Item>(value: unknown, isItem: (item: unknown) => item is Item): value is readonly Item[] {
  return Array.isArray(value) && value.every(isItem);
}

function isStoredBonus(
  value: unknown,
): value is readonly [cause: string, credits: number, count: number, name?: string] {
  if (!Array.isArray(value) || (value.length > 3 && typeof value[3] !== 'string')) return false;
  return typeof value[0] === 'string' && typeof value[1] === 'number' && typeof value[2] === 'number';
}

function isStoredRole(value: unknown): value is readonly [role: string, until: number | null] {
  if (!Array.isArray(value) || typeof value[0] !== 'string') return false;
  return value[1] === null || typeof value[1] === 'number';
}
