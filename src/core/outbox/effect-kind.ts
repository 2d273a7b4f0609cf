import { type Fields, isObject, matches, parseJson } from '@tallyhook/platform/json';
import { parseAnnouncement, serializeAnnouncement } from './announcement-content.ts';
import type {
  DirectMessage,
  DirectMessages,
  EffectContents,
  EffectKind,
  MemberRole,
  OwnerReport,
  OwnerReports,
} from './effect-contents.ts';

/** One kind of effect, as the outbox stores it. */
export interface EffectFormat<Content> {
  /** The contents that this parsed JSON holds; null if it is something else. Never throws. */
  readonly parse: (value: unknown) => Content | null;
  /** What is left for others of contents that mention a member who is forgotten; null if nothing is. */
  readonly withoutMember?: (content: Content, userId: string) => Content | null;
}

/** The format of each kind. Plain functions, because the write worker starts faster without a schema library. */
export type EffectFormats = { readonly [Kind in EffectKind]: EffectFormat<EffectContents[Kind]> };

/** The kind of an effect with its contents. */
export type Contents<Kind extends EffectKind = EffectKind> = {
  readonly [K in Kind]: { readonly kind: K; readonly content: EffectContents[K] };
}[Kind];

/** Contents that this version cannot read, and why. */
export interface UnreadableContents {
  readonly kind: 'unreadable';
  readonly reason: string;
}

/** Of contents that are stored as they are. */
export function formatOf<Content>(isContent: (value: unknown) => value is Content): EffectFormat<Content> {
  return { parse: (value) => (isContent(value) ? value : null) };
}

/** Of contents that are stored as they are, with these fields. */
export function fieldsFormat<Content>(fields: Fields<Content>): EffectFormat<Content> {
  return formatOf((value): value is Content => matches(value, fields));
}

/** The fields of each type of message, without the type itself. */
export type FieldsByType<Types> = { readonly [Type in keyof Types]: Fields<Types[Type]> };

const roleFields: Fields<MemberRole> = { guildId: ['string'], userId: ['string'], role: ['string'] };
/** Of a change of a role. */
export const roleFormat = fieldsFormat<MemberRole>(roleFields);

const directMessageFields: Fields<DirectMessage> = { userId: ['string'], message: ['object'] };
const ownerReportFields: Fields<OwnerReport> = { channelId: ['string'], report: ['object'] };

/** The formats of effects that several features have. */
export function coreFormats(
  directMessages: FieldsByType<DirectMessages>,
  ownerReports: FieldsByType<Omit<OwnerReports, 'roleFailed'>>,
): Pick<EffectFormats, 'announcement' | 'role' | 'directMessage' | 'ownerReport'> {
  const reports = { ...ownerReports, roleFailed: { ...roleFields, reason: ['string'], cause: ['string'] } } as const;
  return {
    announcement: {
      parse: parseAnnouncement,
      // The announcement of a gift belongs to its recipient.
      withoutMember: (content, userId) => (content.userId === userId ? null : { ...content, giftedBy: null }),
    },
    role: roleFormat,
    directMessage: formatOf(
      (value): value is DirectMessage =>
        matches<DirectMessage>(value, directMessageFields) && matchesType(value.message, directMessages),
    ),
    ownerReport: formatOf(
      (value): value is OwnerReport =>
        matches<OwnerReport>(value, ownerReportFields) && matchesType(value.report, reports),
    ),
  };
}

/** Whether the object has one of the types and its fields. */
function matchesType(value: object, types: Readonly<Record<string, Fields<object>>>): boolean {
  if (!isObject(value) || typeof value['type'] !== 'string' || !Object.hasOwn(types, value['type'])) return false;
  return matches(value, types[value['type']] ?? {});
}

/** The text for `effects.content`. */
export function serializeContent({ kind, content }: Contents): string {
  return kind === 'announcement' ? serializeAnnouncement(content) : JSON.stringify(content);
}

/** Parses `effects.content` of an effect of this kind. Never throws. */
export function parseContent(formats: EffectFormats, kind: string, text: string): Contents | UnreadableContents {
  if (!isKnown(formats, kind)) {
    return unreadable(`This version does not know effects of the kind "${kind.slice(0, 50)}".`);
  }
  const content = formats[kind].parse(parseJson(text));
  // TypeScript does not relate the kind to the contents of its format.
  return content === null
    ? unreadable(`The contents are not those of the kind "${kind}".`)
    : ({ kind, content } as Contents);
}

function isKnown(formats: EffectFormats, kind: string): kind is EffectKind {
  return Object.hasOwn(formats, kind);
}

function unreadable(reason: string): UnreadableContents {
  return { kind: 'unreadable', reason: `${reason} A newer version may have stored it: replay it after an upgrade.` };
}
