import { second } from '../../../platform/durations.ts';
import { callbackType } from '../callback-schema.ts';
import { errorResponse } from '../errors.ts';
import type { InteractionCallbacks } from '../interaction-callbacks.ts';
import { messageFlag } from '../message-flags.ts';
import { noContent, ok, type Route, routeWith } from '../route.ts';

/** Responses to interactions. Discord: "Receiving and Responding", endpoints. */
export function interactionRoutes(callbacks: InteractionCallbacks, applicationId: string): Route[] {
  const callbackRoute = routeWith({ needsBot: false });
  const tokenRoute = routeWith({ needsBot: false, limit: { count: 5, windowMs: 2 * second } });
  const checkApplication = (id: string) => {
    if (id !== applicationId) throw errorResponse.unknownWebhook();
  };
  return [
    callbackRoute('POST', '/interactions/:interactionId/:token/callback', ({ ids, query, body, files }) => {
      const result = callbacks.respond(ids.interactionId, ids.token, body, files);
      return query.get('with_response') === 'true' ? ok(callbackResponse(result)) : noContent;
    }),
    tokenRoute('POST', '/webhooks/:applicationId/:token', ({ ids, body, files }) => {
      checkApplication(ids.applicationId);
      return ok(callbacks.followUp(ids.token, body, files));
    }),
    tokenRoute('GET', '/webhooks/:applicationId/:token/messages/:messageId', ({ ids }) => {
      checkApplication(ids.applicationId);
      return ok(callbacks.message(ids.token, ids.messageId));
    }),
    tokenRoute('PATCH', '/webhooks/:applicationId/:token/messages/:messageId', ({ ids, body, files }) => {
      checkApplication(ids.applicationId);
      return ok(callbacks.edit(ids.token, ids.messageId, body, files));
    }),
    tokenRoute('DELETE', '/webhooks/:applicationId/:token/messages/:messageId', ({ ids }) => {
      checkApplication(ids.applicationId);
      callbacks.delete(ids.token, ids.messageId);
      return noContent;
    }),
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
      ...(message === undefined
        ? {}
        : {
            response_message_id: message.id,
            response_message_loading: (flags & messageFlag.loading) !== 0,
            response_message_ephemeral: (flags & messageFlag.ephemeral) !== 0,
          }),
    },
    resource: { type: callback.type, ...(carriesMessage ? { message } : {}) },
  };
}
