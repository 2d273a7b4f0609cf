import { type APIInteraction, type RawFile, REST, type RESTOptions, Routes } from 'discord.js';
import { second } from '../../platform/durations.ts';
import { type GlobalRateLimit, hasRetryAfter, retryMarginMs } from '../rate-limit.ts';
import type { ResponseTransport } from './transport.ts';

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
