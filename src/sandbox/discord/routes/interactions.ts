import { second } from '../../../platform/durations.ts';
import { callbackType } from '../callback-schema.ts';
import { errorResponse } from '../errors.ts';
import type { InteractionCallbacks } from '../interaction-callbacks.ts';
import { messageFlag } from '../message-flags.ts';
import { noContent, ok, type Route, route } from '../route.ts';

/** Responses to interactions. Discord: "Receiving and Responding", endpoints. */
export function interactionRoutes(callbacks: InteractionCallbacks, applicationId: string): Route[] {
  const tokenRouteOptions = { needsBot: false, limit: { count: 5, windowMs: 2 * second } };
  const checkApplication = (id: string) => {
    if (id !== applicationId) throw errorResponse.unknownWebhook();
  };
  return [
    route(
      'POST',
      '/interactions/:interactionId/:token/callback',
      ({ ids, query, body, files }) => {
        const result = callbacks.respond(ids.interactionId, ids.token, body, files);
        return query.get('with_response') === 'true' ? ok(callbackResponse(result)) : noContent;
      },
      { needsBot: false },
    ),
    route(
      'POST',
      '/webhooks/:applicationId/:token',
      ({ ids, body, files }) => {
        checkApplication(ids.applicationId);
        return ok(callbacks.followUp(ids.token, body, files));
      },
      tokenRouteOptions,
    ),
    route(
      'GET',
      '/webhooks/:applicationId/:token/messages/:messageId',
      ({ ids }) => {
        checkApplication(ids.applicationId);
        return ok(callbacks.message(ids.token, ids.messageId));
      },
      tokenRouteOptions,
    ),
    route(
      'PATCH',
      '/webhooks/:applicationId/:token/messages/:messageId',
      ({ ids, body, files }) => {
        checkApplication(ids.applicationId);
        return ok(callbacks.edit(ids.token, ids.messageId, body, files));
      },
      tokenRouteOptions,
    ),
    route(
      'DELETE',
      '/webhooks/:applicationId/:token/messages/:messageId',
      ({ ids }) => {
        checkApplication(ids.applicationId);
        callbacks.delete(ids.token, ids.messageId);
        return noContent;
      },
      tokenRouteOptions,
    ),
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
