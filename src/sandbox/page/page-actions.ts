import { z } from 'zod';
import { TallyhookError } from '../../platform/errors.ts';
import { snowflakePattern } from '../../platform/snowflake.ts';
import type { GuildControls } from '../discord/guild-controls.ts';
import type { MemberClient } from '../discord/member-client.ts';
import { faultActions, type PagePorts } from './ports.ts';

const id = z.string().regex(snowflakePattern);

const commandSchema = z.object({
  name: z.string().max(100),
  userId: id,
  channelId: id,
  options: z.record(z.string(), z.union([z.string().max(6000), z.number(), z.boolean()])),
});

const componentSchema = z.object({
  messageId: id,
  customId: z.string().max(100),
  userId: id,
  values: z.array(z.string().max(100)).max(25).optional(),
});

const autocompleteSchema = commandSchema.extend({
  focused: z.object({ name: z.string().max(100), value: z.string().max(6000) }),
});

const modalSchema = z.object({
  interactionId: id,
  userId: id,
  values: z.record(z.string(), z.union([z.string().max(4000), z.array(z.string().max(100)).max(25), z.boolean()])),
});

const userSchema = z.object({ userId: id });

const directMessagesSchema = userSchema.extend({ accepted: z.boolean() });

const memberSchema = userSchema.extend({ change: z.enum(['leave', 'rejoin']) });

const languageSchema = z.object({ userId: id, locale: z.string().max(10) });

const guildLanguageSchema = z.object({ locale: z.string().max(10) });

/** The new position of a role, from 1; null deletes it. */
const roleSchema = z.object({ roleId: id, position: z.int().min(1).max(250).nullable() });

const voteSchema = z.object({ userId: id, kind: z.enum(['server', 'bot']) });

/** A step of "Try this". */
const tourSchema = z.object({ step: z.string().max(50) });

const faultSchema = z.object({ fault: z.enum(faultActions), userId: id });

export interface ActionResult {
  readonly status: 200 | 400 | 404 | 502;
  readonly body: object;
}

/** The POST endpoints of the page, by path. */
export function createActions({
  client,
  guild,
  ports,
}: {
  client: MemberClient;
  guild: GuildControls;
  ports: PagePorts;
}): (path: string, body: unknown) => Promise<ActionResult> {
  const handlers: Readonly<Record<string, (body: unknown) => Promise<object>>> = {
    '/page/commands': async (body) => ({ interactionId: client.runCommand(commandSchema.parse(body)).id }),
    '/page/components': async (body) => {
      const { values, ...action } = componentSchema.parse(body);
      return { interactionId: client.useComponent(values ? { ...action, values } : action).id };
    },
    '/page/completions': async (body) => ({ choices: await client.autocomplete(autocompleteSchema.parse(body)) }),
    '/page/modals': async (body) => ({ interactionId: client.submitModal(modalSchema.parse(body)).id }),
    '/page/conversations': async (body) => ({ channelId: client.openConversation(userSchema.parse(body).userId) }),
    '/page/direct-messages': async (body) => {
      const { userId, accepted } = directMessagesSchema.parse(body);
      guild.acceptDirectMessages(userId, accepted);
      return {};
    },
    '/page/languages': async (body) => {
      const { userId, locale } = languageSchema.parse(body);
      guild.setLocale(userId, locale);
      return {};
    },
    '/page/guild-language': async (body) => {
      guild.setGuildLocale(guildLanguageSchema.parse(body).locale);
      return {};
    },
    '/page/members': async (body) => {
      const { userId, change } = memberSchema.parse(body);
      guild[change](userId);
      return {};
    },
    '/page/roles': async (body) => {
      const { roleId, position } = roleSchema.parse(body);
      if (position === null) guild.deleteRole(roleId);
      else guild.moveRole(roleId, position);
      return {};
    },
    '/page/trouble': async (body) => {
      const { fault, userId } = faultSchema.parse(body);
      return { message: await ports.injectFault(fault, userId) };
    },
    '/page/time': async () => ({ now: ports.time.now() }),
    '/page/tour': async (body) => {
      ports.tour.finish(tourSchema.parse(body).step);
      return {};
    },
    '/page/votes': async (body) => await ports.castVote(voteSchema.parse(body)),
  };
  return async (path, body) => {
    const handler = handlers[path];
    if (handler === undefined) return { status: 404, body: { error: 'Not found.' } };
    try {
      return { status: 200, body: await handler(body) };
    } catch (error) {
      if (error instanceof z.ZodError) return { status: 400, body: { error: 'Invalid request.' } };
      if (error instanceof TallyhookError) return { status: 400, body: { error: error.message } };
      return { status: 502, body: { error: 'The action failed. See the log of the sandbox.' } };
    }
  };
}
