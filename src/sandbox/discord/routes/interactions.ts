import { second } from '../../../platform/durations.ts';
import { callbackType } from '../callback-schema.ts';
import { errorResponse } from '../errors.ts';
import type { InteractionCallbacks } from '../interaction-callbacks.ts';
import { messageFlag } from '../objects.ts';
import { noContent, ok, type Route, route } from '../route.ts';

/** Answers to interactions. Discord: "Receiving and Responding", endpoints. */
export function interactionRoutes(answering: InteractionCallbacks, applicationId: string): Route[] {
  const own = { needsBot: false, limit: { count: 5, per: 2 * second } };
  const checkApplication = (id: string) => {
    if (id !== applicationId) throw errorResponse.unknownWebhook();
  };
  return [
    route(
      'POST',
      '/interactions/:interactionId/:token/callback',
      ({ ids, query, body, files }) => {
        const done = answering.callback(ids.interactionId, ids.token, body, files);
        return query.get('with_response') === 'true' ? ok(callbackResponse(done)) : noContent;
      },
      { needsBot: false },
    ),
    route(
      'POST',
      '/webhooks/:applicationId/:token',
      ({ ids, body, files }) => {
        checkApplication(ids.applicationId);
        return ok(answering.followUp(ids.token, body, files));
      },
      own,
    ),
    route(
      'GET',
      '/webhooks/:applicationId/:token/messages/:messageId',
      ({ ids }) => {
        checkApplication(ids.applicationId);
        return ok(answering.message(ids.token, ids.messageId));
      },
      own,
    ),
    route(
      'PATCH',
      '/webhooks/:applicationId/:token/messages/:messageId',
      ({ ids, body, files }) => {
        checkApplication(ids.applicationId);
        return ok(answering.edit(ids.token, ids.messageId, body, files));
      },
      own,
    ),
    route(
      'DELETE',
      '/webhooks/:applicationId/:token/messages/:messageId',
      ({ ids }) => {
        checkApplication(ids.applicationId);
        answering.delete(ids.token, ids.messageId);
        return noContent;
      },
      own,
    ),
  ];
}

/** Discord: "Interaction Callback Response Object". */
function callbackResponse({ interaction, callback, message }: ReturnType<InteractionCallbacks['callback']>) {
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
