import { DiscordAPIError, type RawFile, REST, type RESTOptions } from '@discordjs/rest';
import type { Clock } from '@tallyhook/platform/clock';
import { second } from '@tallyhook/platform/durations';
import { type APIInteraction, type APIInteractionResponse, RESTJSONErrorCodes, Routes } from 'discord-api-types/v10';
import { type GlobalRateLimit, hasRetryAfter, retryMarginMs } from '../rate-limit.ts';

/**
 * Carries the responses to one interaction, however it was received. Each method rejects with discord.js's errors.
 * Discord: "Receiving and Responding".
 */
export interface ResponseTransport {
  /** The initial response, within 3 seconds of the interaction. */
  respond(response: APIInteractionResponse, files?: readonly RawFile[]): Promise<void>;
  /** Edits the initial response, or the message of the component after a deferred update; within 15 minutes. */
  editOriginal(message: object, files: readonly RawFile[]): Promise<void>;
  /** A further message, after the initial response and within 15 minutes. */
  followUp(message: object, files: readonly RawFile[]): Promise<void>;
}

/** What identifies the responses to an interaction. */
export type InteractionReference = Pick<APIInteraction, 'id' | 'token' | 'application_id'>;

/** Creates the transport of one interaction. It needs no bot token: the token of the interaction suffices. */
export type RestTransports = (interaction: InteractionReference) => ResponseTransport;

/** Responds by requests to Discord's API. A rate limit is waited for. */
export function createRestTransports(options: {
  /** Without the version: `https://discord.com/api`. */
  apiUrl: string;
  /** Receives the rate limits that are met. */
  globalLimit?: GlobalRateLimit;
  /** Observes the requests. */
  makeRequest?: RESTOptions['makeRequest'];
}): RestTransports {
  const { makeRequest } = options;
  const rest = new REST({
    api: options.apiUrl,
    version: '10',
    retries: 1,
    timeout: 5 * second,
    offset: retryMarginMs,
    ...(makeRequest && { makeRequest }),
    // Discord does not count responses to interactions among the bot's 50 requests a second, so they do not share the
    // client of announcements and roles (rest.ts). Discord: "Global Rate Limit".
    globalRequestsPerSecond: Number.POSITIVE_INFINITY,
    rejectOnRateLimit: (limit) => {
      options.globalLimit?.observe(limit);
      return !hasRetryAfter(limit);
    },
  });
  const withFiles = (body: object, files: readonly RawFile[] = []) => ({ body, files: [...files], auth: false });

  return ({ id, token, application_id: applicationId }) => ({
    async respond(response, files) {
      await rest.post(Routes.interactionCallback(id, token), withFiles(response, files));
    },
    async editOriginal(message, files) {
      await rest.patch(Routes.webhookMessage(applicationId, token, '@original'), withFiles(message, files));
    },
    async followUp(message, files) {
      await rest.post(Routes.webhook(applicationId, token), withFiles(message, files));
    },
  });
}

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
