import type { Request } from 'express';
import { z } from 'zod';
import type { CommandInput, PostingPermission } from '../../../discord/commands/input.ts';
import type { OptionValue } from '../../../discord/commands/reply.ts';
import { authorOf, type Visit } from '../session.ts';

const text = z.string().max(16_000);
const form = z.record(z.string().max(100), z.union([text, z.array(text).max(50)]));

/** Where a selected channel is looked up. */
export interface SelectableObjects {
  /** The ids of the channels of the guild; null if Discord does not say. */
  readonly channels: ReadonlySet<string> | null;
  /** What the bot lacks in a channel. */
  readonly missingIn: (channelId: string) => Promise<readonly PostingPermission[] | null>;
}

/**
 * A link or a form of the console as the input of `/setup`, which checks that channels and roles are of the guild.
 * @param guildId that of the visit
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
  const selected = [...values, ...Object.values(fields).filter(Array.isArray).flat()];
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

async function resolve(
  values: readonly string[],
  { channels, missingIn }: SelectableObjects,
): Promise<CommandInput['resolved']> {
  const selected = values.filter((id) => channels?.has(id));
  const resolved = selected.map(async (id) => [id, { name: '', missing: await missingIn(id) }] as const);
  return { channels: Object.fromEntries(await Promise.all(resolved)), users: {}, roles: {} };
}
