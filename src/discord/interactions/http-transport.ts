import { type APIInteractionResponse, DiscordAPIError, RESTJSONErrorCodes } from 'discord.js';
import type { Clock } from '../../platform/clock.ts';
import { second } from '../../platform/durations.ts';
import type { ResponseTransport } from './transport.ts';

/**
 * Discord may handle a request for a further message before it has read the response that precedes it. It then says that
 * the webhook or the message is unknown, and the request is repeated after these delays (ms).
 */
const retryDelaysMs = [0.25 * second, 0.5 * second, 1 * second];
const unknownCodes: readonly (number | string)[] = [
  RESTJSONErrorCodes.UnknownWebhook,
  RESTJSONErrorCodes.UnknownMessage,
];

/**
 * Responds to an interaction in the response to its HTTP request; edits and further messages are requests to Discord's
 * API. A response with files is a request as well: Discord documents uploads for requests alone, and cuts off large
 * responses.
 */
export function createHttpTransport(options: {
  /** For everything but a response without files. */
  rest: ResponseTransport;
  /**
   * Answers the HTTP request with the response; with null without a body, because the response was a request of its own.
   * Resolves when it was sent, and rejects if the connection is closed.
   */
  answer: (response: APIInteractionResponse | null) => Promise<void>;
  /** Real time. */
  clock: Clock;
}): ResponseTransport {
  const { rest, answer, clock } = options;

  async function retryUnknown(attempt: () => Promise<void>): Promise<void> {
    for (const delayMs of retryDelaysMs) {
      try {
        return await attempt();
      } catch (error) {
        if (!(error instanceof DiscordAPIError && unknownCodes.includes(error.code))) throw error;
        await clock.sleep(delayMs);
      }
    }
    return attempt();
  }

  return {
    async respond(response, files = []) {
      if (files.length === 0) return answer(response);
      await rest.respond(response, files);
      await answer(null);
    },
    editOriginal: (message, files) => retryUnknown(() => rest.editOriginal(message, files)),
    followUp: (message, files) => retryUnknown(() => rest.followUp(message, files)),
  };
}
