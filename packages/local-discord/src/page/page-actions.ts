import type { Clock } from '@tallyhook/platform/clock';
import { TallyhookError } from '@tallyhook/platform/errors';
import { snowflakePattern } from '@tallyhook/platform/snowflake';
import { z } from 'zod';
import type { GuildControls } from '../guild-controls.ts';
import type { MemberClient } from '../member-client.ts';
import type { Actions } from './page-extension.ts';

/** The body of a request for an action. */
export type ActionInput<All extends Actions, Path extends keyof All> = z.input<All[Path]['schema']>;
/** The result of an action, unless the request was rejected. */
export type ActionOutput<All extends Actions, Path extends keyof All> = Awaited<ReturnType<All[Path]['perform']>>;

export function action<Schema extends z.ZodType, Result>(schema: Schema, perform: (input: z.output<Schema>) => Result) {
  return { schema, perform };
}

const id = z.string().regex(snowflakePattern);
export const user = z.object({ userId: id });
const language = z.object({ locale: z.string().max(10) });

const command = user.extend({
  name: z.string().max(100),
  channelId: id,
  options: z.record(z.string(), z.union([z.string().max(6000), z.number(), z.boolean()])),
});
const userCommand = command.omit({ options: true }).extend({ targetId: id });
const autocomplete = command.extend({ focused: z.object({ name: z.string().max(100), value: z.string().max(6000) }) });

const values = z.array(z.string().max(100)).max(25).readonly();
const component = user.extend({ messageId: id, customId: z.string().max(100), values: values.optional() });
/** A text file. */
const file = z
  .strictObject({ filename: z.string().max(200), text: z.string() })
  .transform(({ filename, text }) => ({ filename, contentType: '', bytes: Buffer.from(text) }));
const modal = user.extend({
  interactionId: id,
  values: z.record(z.string(), z.union([z.string().max(4000), values, z.boolean(), file])),
});

/** The new position of a role, from 1; null deletes it. */
const role = z.object({ roleId: id, position: z.int().min(1).max(250).nullable() });

export interface ActionParts {
  readonly client: MemberClient;
  readonly guild: GuildControls;
}

/** Actions of people on Discord, by the path of their requests. */
export function createDiscordActions({ client, guild }: ActionParts, clock: Clock) {
  return {
    '/page/commands': action(command, (input) => ({ interactionId: client.runCommand(input).id })),
    '/page/user-commands': action(userCommand, (input) => ({ interactionId: client.runUserCommand(input).id })),
    '/page/components': action(component, (input) => ({
      interactionId: client.useComponent({ ...input, values: input.values ?? [] }).id,
    })),
    '/page/completions': action(autocomplete, async (input) => ({ choices: await client.autocomplete(input) })),
    '/page/modals': action(modal, (input) => ({ interactionId: client.submitModal(input).id })),
    '/page/conversations': action(user, ({ userId }) => ({ channelId: client.openConversation(userId) })),
    '/page/direct-messages': action(user.extend({ accepted: z.boolean() }), ({ userId, accepted }) =>
      guild.acceptDirectMessages(userId, accepted),
    ),
    '/page/languages': action(user.extend(language.shape), ({ userId, locale }) => guild.setLocale(userId, locale)),
    '/page/guild-language': action(language, ({ locale }) => guild.setGuildLocale(locale)),
    '/page/members': action(user.extend({ change: z.enum(['leave', 'rejoin']) }), ({ userId, change }) =>
      guild[change](userId),
    ),
    '/page/roles': action(role, ({ roleId, position }) =>
      position === null ? guild.deleteRole(roleId) : guild.moveRole(roleId, position),
    ),
    '/page/time': action(z.object({}), () => ({ now: clock.now() })),
  };
}

export type DiscordActions = ReturnType<typeof createDiscordActions>;

/** Performs what a request of the page asks for. @param program whose log has the details of a failure */
export function createActionHandler(actions: Actions, program: string) {
  return async (path: string, body: unknown): Promise<{ status: 200 | 400 | 404 | 502; body: object }> => {
    const found = Object.hasOwn(actions, path) ? actions[path] : undefined;
    if (found === undefined) return { status: 404, body: { error: 'Not found.' } };
    try {
      return { status: 200, body: ((await found.perform(found.schema.parse(body) as never)) as object | null) ?? {} };
    } catch (error) {
      if (error instanceof z.ZodError) return { status: 400, body: { error: 'Invalid request.' } };
      if (error instanceof TallyhookError) return { status: 400, body: { error: error.message } };
      return { status: 502, body: { error: `The action failed. See the log of the ${program}.` } };
    }
  };
}
