import { messageFlag } from '../../../discord/message-flags.ts';
import { second } from '../../../platform/durations.ts';
import type { DiscordStore } from '../discord-store.ts';
import { errorResponse } from '../errors.ts';
import type { InteractionCallbacks } from '../interaction-callbacks.ts';
import { callbackType } from '../interactions.ts';
import { done, ok, type Route, routeWith } from '../rest.ts';

/** Responses to interactions. Discord: "Receiving and Responding", endpoints. */
export function interactionRoutes({ state }: DiscordStore, callbacks: InteractionCallbacks): Route[] {
  const callbackRoute = routeWith({ needsBot: false });
  const tokenRoute = routeWith({
    needsBot: false,
    limit: { count: 5, windowMs: 2 * second },
    check({ applicationId }) {
      if (applicationId !== state.applicationId) throw errorResponse.unknownWebhook();
    },
  });
  const messagePath = '/webhooks/:applicationId/:token/messages/:messageId';
  return [
    callbackRoute('POST', '/interactions/:interactionId/:token/callback', ({ ids, query, body, files }) => {
      const result = callbacks.respond(ids.interactionId, ids.token, body, files);
      return query.get('with_response') === 'true' ? ok(callbackResponse(result)) : done();
    }),
    tokenRoute('POST', '/webhooks/:applicationId/:token', ({ ids, body, files }) =>
      ok(callbacks.followUp(ids.token, body, files)),
    ),
    tokenRoute('GET', messagePath, ({ ids }) => ok(callbacks.message(ids.token, ids.messageId))),
    tokenRoute('PATCH', messagePath, ({ ids, body, files }) =>
      ok(callbacks.edit(ids.token, ids.messageId, body, files)),
    ),
    tokenRoute('DELETE', messagePath, ({ ids }) => done(callbacks.delete(ids.token, ids.messageId))),
  ];
}

/** Discord: "Interaction Callback Response Object". */
function callbackResponse({ interaction, callback, message }: ReturnType<InteractionCallbacks['respond']>) {
  const flags = message?.flags ?? 0;
  const carriesMessage = callback.type === callbackType.message || callback.type === callbackType.update;
  return {
    interaction: {
      id: interaction.id,
      type: interaction.type,
      ...(message && {
        response_message_id: message.id,
        response_message_loading: (flags & messageFlag.loading) !== 0,
        response_message_ephemeral: (flags & messageFlag.ephemeral) !== 0,
      }),
    },
    resource: { type: callback.type, ...(carriesMessage ? { message } : {}) },
  };
}
