import type { Request } from 'express';
import { z } from 'zod';
import type { CommandInput, PostingPermission } from '../../../discord/commands/input.ts';
import type { OptionValue } from '../../../discord/commands/reply.ts';
import { isSnowflake } from '../../../platform/snowflake.ts';
import { HttpError } from '../../../platform/web/http-error.ts';
import { authorOf, type Visit } from '../session.ts';

const text = z.string().max(16_000);
const form = z.record(z.string().max(100), z.union([text, z.array(text).max(50)]));

/** Where a selected channel or role is looked up. */
export interface SelectableObjects {
  /** The ids of the channels of the guild; null if Discord does not say. */
  readonly channels: ReadonlySet<string> | null;
  /** Names by id. */
  readonly roles: ReadonlyMap<string, string>;
  /** What the bot lacks in a channel. */
  readonly missingIn: (channelId: string) => Promise<readonly PostingPermission[] | null>;
}

/**
 * A link or a form of the console as the input of `/setup`. Discord lets a member select channels and roles of the guild
 * only; here they are looked up, because the bot may be in the guilds of others, too.
 * @param guildId that of the visit
 * @throws HttpError 400 for another one's channel or role, 503 if Discord does not say which there are
 */
export async function readInput(
  { query, body, method }: Pick<Request, 'query' | 'body' | 'method'>,
  {
    guildId,
    applicationId,
    visit,
    locale,
  }: { readonly guildId: string; readonly applicationId: string; readonly visit: Visit; readonly locale: string },
  objects: SelectableObjects,
): Promise<CommandInput> {
  const parsed = form.safeParse(method === 'POST' ? body : query).data ?? {};
  const first = (name: string) => [parsed[name] ?? ''].flat()[0] ?? '';
  const options: Record<string, OptionValue> = {};
  const fields: Record<string, string | readonly string[] | boolean> = {};
  for (const [name, value] of Object.entries(parsed)) {
    const [kind, rest] = [name.slice(0, 2), name.slice(2)];
    if (kind === 'o.') options[rest] = first(name);
    if (kind === 't.') fields[rest] = first(name).replaceAll('\r\n', '\n');
    if (kind === 'm.') fields[rest] = [value].flat().filter((each) => each !== '');
    if (kind === 'b.') fields[rest] = true;
  }
  const values = first('value') === '' ? [] : [first('value')];
  const selected = [...values, ...Object.values(fields).filter(Array.isArray).flat()].filter(isLongId);
  const { member, visitor } = visit;
  return {
    options,
    action: first('a') || null,
    values,
    fields,
    resolved: await resolve(selected, objects),
    userId: authorOf(visit),
    displayName: visitor?.name ?? '',
    applicationId,
    guildId,
    channelId: null,
    roles: member === null ? null : (visitor?.roles ?? []),
    isManager: true,
    canAttachFiles: false,
    interactionId: first('i') || 'link',
    locale,
    guildLocale: null,
  };
}

/** Positions in lists are short numbers. */
function isLongId(value: unknown): value is string {
  return isSnowflake(value) && value.length > 10;
}

async function resolve(ids: readonly string[], objects: SelectableObjects): Promise<CommandInput['resolved']> {
  const channels: Record<string, CommandInput['resolved']['channels'][string]> = {};
  for (const id of ids) {
    if (objects.roles.has(id)) continue;
    if (objects.channels === null) throw new HttpError(503, 'Discord does not say which channels there are.', 15);
    if (!objects.channels.has(id)) throw new HttpError(400, 'This channel or role is not of this server.');
    channels[id] = { name: '', missing: await objects.missingIn(id) };
  }
  return { channels, users: {}, roles: {} };
}
