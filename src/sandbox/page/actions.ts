import { z } from 'zod';
import { TallyhookError } from '../../platform/errors.ts';
import type { MemberClient } from '../discord/member-client.ts';
import { faultKinds, type PagePorts } from './ports.ts';

const id = z.string().regex(/^\d{1,20}$/);

const commandForm = z.object({
  name: z.string().max(100),
  userId: id,
  channelId: id,
  options: z.record(z.string(), z.union([z.string().max(6000), z.number(), z.boolean()])),
});

const componentForm = z.object({
  messageId: id,
  customId: z.string().max(100),
  userId: id,
  values: z.array(z.string().max(100)).max(25).optional(),
});

const completionForm = commandForm.extend({
  focused: z.object({ name: z.string().max(100), value: z.string().max(6000) }),
});

const modalForm = z.object({
  interactionId: id,
  userId: id,
  values: z.record(z.string(), z.union([z.string().max(4000), z.array(z.string().max(100)).max(25)])),
});

const voteForm = z.object({ userId: id, kind: z.enum(['server', 'bot']) });

const troubleForm = z.object({ what: z.enum(faultKinds), userId: id });

export interface Done {
  readonly status: 200 | 400 | 404 | 502;
  readonly body: object;
}

/** What a person can do on the page, by path. */
export function actions(client: MemberClient, ports: PagePorts): (path: string, body: unknown) => Promise<Done> {
  const performs: Readonly<Record<string, (body: unknown) => Promise<object>>> = {
    '/page/commands': async (body) => ({ interactionId: client.runCommand(commandForm.parse(body)).id }),
    '/page/components': async (body) => {
      const { values, ...use } = componentForm.parse(body);
      return { interactionId: client.use(values ? { ...use, values } : use).id };
    },
    '/page/completions': async (body) => ({ choices: await client.complete(completionForm.parse(body)) }),
    '/page/modals': async (body) => ({ interactionId: client.submitModal(modalForm.parse(body)).id }),
    '/page/trouble': async (body) => {
      const { what, userId } = troubleForm.parse(body);
      return { said: await ports.trouble(what, userId) };
    },
    '/page/votes': async (body) => await ports.castVote(voteForm.parse(body)),
  };
  return async (path, body) => {
    const perform = performs[path];
    if (perform === undefined) return { status: 404, body: { error: 'There is nothing here.' } };
    try {
      return { status: 200, body: await perform(body) };
    } catch (thrown) {
      if (thrown instanceof z.ZodError) return { status: 400, body: { error: 'That cannot be sent.' } };
      if (thrown instanceof TallyhookError) return { status: 400, body: { error: thrown.message } };
      return { status: 502, body: { error: 'The sandbox could not do that. Its log says why.' } };
    }
  };
}
