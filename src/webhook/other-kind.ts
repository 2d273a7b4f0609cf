import { type EventKind, premiumKinds, voteKinds } from './event.ts';
import { type Fields, readText } from './fields.ts';

const kinds: readonly string[] = [...voteKinds, ...premiumKinds];

export function isKnownKind(kind: string): kind is EventKind {
  return kinds.includes(kind);
}

/** Names of fields that state a kind of event, in lower case without separators. */
const kindNames: ReadonlySet<string> = new Set([
  ...['kind', 'eventkind', 'eventtype', 'eventname', 'action', 'topic'],
  ...['webhooktype', 'webhookevent', 'notificationtype', 'messagetype'],
]);

/** Texts that people choose, who could name themselves like an event that pays more. */
const ownTextNames: ReadonlySet<string> = new Set([
  ...['name', 'username', 'displayname', 'globalname', 'nickname', 'votername', 'buyername', 'targetname'],
  ...['title', 'comment', 'message', 'text', 'description', 'reason', 'creditdenialreason', 'tier'],
]);

/**
 * The kind of an event that states it in neither `event` nor `type`: any other field at the top level whose text is a
 * known kind. Otherwise what makes the event one of an unknown kind: several kinds, a kind in a text that people choose,
 * or anything else in a field for kinds. Null without any of these.
 */
export function findOtherKind(json: Fields): string | null {
  const stated = new Set<string>();
  let unknown: string | null = null;
  for (const [name, value] of Object.entries(json)) {
    const plainName = name.toLowerCase().replaceAll(/[_-]/g, '');
    if (typeof value === 'string' && isKnownKind(value)) {
      if (ownTextNames.has(plainName)) unknown ??= `${value} in ${plainName}`;
      else stated.add(value);
    } else if (kindNames.has(plainName) && value !== null) {
      unknown ??= readText(value) ?? describeKind(value);
    }
  }
  return stated.size > 0 ? [...stated].join(' and ') : unknown;
}

/** A kind that is not a text, for the delivery log. Objects are abbreviated: their depth could overflow the stack. */
export function describeKind(kind: unknown): string {
  return typeof kind === 'object' ? (Array.isArray(kind) ? '[…]' : '{…}') : JSON.stringify(kind);
}
