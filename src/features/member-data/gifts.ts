import { type EffectFormats, parseContent, serializeContent } from '../../core/outbox/effect-kind.ts';
import { chunksOf, type Gifts } from '../../core/store/member-data/member-table.ts';
import { literal, run } from '../../core/store/query-builder.ts';
import type { Sql } from '../../core/store/sql-module.ts';

/**
 * Finds the gifts of a member among the rows that mention the member. They belong to their recipients: a purchase that
 * could not be processed yet, or is not announced yet, must still be when the giver is forgotten.
 */
export async function findGifts(
  { db, connection, effects: formats }: Pick<Sql, 'db' | 'connection' | 'effects'>,
  giver: string,
  found: { readonly deliveryIds: readonly number[]; readonly effectIds: readonly number[] },
): Promise<Gifts> {
  const deliveries = new Map<number, string>();
  for (const ids of chunksOf(found.deliveryIds)) {
    const premium = db.selectFrom('deliveries').select(['id', 'body']).where('family', '=', literal('premium'));
    const ofOthers = premium
      .where('id', 'in', ids)
      .where((eb) => eb.or([eb('user_id', 'is', null), eb('user_id', '<>', giver)]));
    for (const { id, body } of await run(connection, ofOthers)) {
      const text = bodyWithoutGiver(body, giver);
      if (text !== null) deliveries.set(id, text);
    }
  }
  const effects = new Map<number, string>();
  for (const ids of chunksOf(found.effectIds)) {
    const announcements = db
      .selectFrom('effects')
      .select(['id', 'kind', 'content'])
      .where('kind', 'in', sharedKinds(formats).map(literal));
    const mentioning = announcements.where('id', 'in', ids).where('content', 'like', `%"${giver}"%`);
    for (const { id, kind, content } of await run(connection, mentioning)) {
      const text = contentWithoutMember(formats, kind, content, giver);
      if (text !== null) effects.set(id, text);
    }
  }
  return { deliveries, effects };
}

/**
 * The body of a premium event without its giver: `giftedBy`, `buyer` and `userId` if they are the giver. Null if it
 * names no other recipient, mentions the giver elsewhere, or names no order: then the body itself identifies the event.
 */
export function bodyWithoutGiver(body: string, giver: string): string | null {
  const json = parseObject(body);
  if (json === null) return null;
  const recipient = personId(json['recipient']);
  if (recipient === null || recipient === giver || (!json['orderId'] && !json['purchaseId'])) return null;
  const isGiver = (name: string) => personId(json[name]) === giver;
  const kept = Object.entries(json).filter(([name]) => !giverFields.includes(name) || !isGiver(name));
  const text = JSON.stringify(Object.fromEntries(kept));
  return text.includes(giver) ? null : text;
}

/** The kinds of effects that may mention several members. */
function sharedKinds(formats: EffectFormats): readonly string[] {
  return Object.entries(formats).flatMap(([kind, format]) => ('withoutMember' in format ? kind : []));
}

const giverFields: readonly string[] = ['giftedBy', 'buyer', 'userId'];

/** Null if it belongs to the member alone. */
function contentWithoutMember(formats: EffectFormats, kind: string, text: string, userId: string): string | null {
  const contents = parseContent(formats, kind, text);
  if ('reason' in contents) return null;
  const kept = formats[kind]?.withoutMember?.(contents.content, userId) ?? null;
  const keptText = kept && serializeContent({ kind, content: kept });
  return keptText?.includes(userId) ? null : keptText;
}

/** Services send a person as an object or as the bare id. Null for anything else. */
function personId(value: unknown): string | null {
  const id = isObject(value) ? (value['userId'] ?? value['id']) : value;
  return typeof id === 'string' || typeof id === 'number' ? String(id) : null;
}

function parseObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const json: unknown = JSON.parse(text);
    return isObject(json) ? json : null;
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
