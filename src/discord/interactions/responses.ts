import { type RawFile, REST, type RESTOptions } from '@discordjs/rest';
import type { Clock } from '@tallyhook/platform/clock';
import { second } from '@tallyhook/platform/durations';
import {
  type APIInteraction,
  type APIInteractionResponse,
  type APIMessage,
  type APIModalInteractionResponseCallbackData,
  InteractionResponseType,
  MessageFlags,
  RESTJSONErrorCodes,
  Routes,
} from 'discord-api-types/v10';
import type { CommandInput } from '../commands/command.ts';
import type { Panel, Reply } from '../commands/reply.ts';
import { hasCode } from '../discord-errors.ts';
import { type GlobalRateLimit, hasRetryAfter, retryMarginMs } from '../rate-limit.ts';
import { uploadOf } from '../rendering/components.ts';
import type { MessageBody } from '../rendering/message.ts';

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

/** Identifies the responses to an interaction. */
export type InteractionReference = Pick<APIInteraction, 'id' | 'token' | 'application_id'>;

/** Creates the transport of one interaction. It needs no bot token: the token of the interaction suffices. */
export type RestTransports = (interaction: InteractionReference) => ResponseTransport;

/** Responds by requests to Discord's API. A rate limit is waited for. */
export function createRestTransports(options: {
  /** The address of Discord's API, without the version: `https://discord.com/api`. */
  apiUrl: string;
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
        if (!hasCode(error, RESTJSONErrorCodes.UnknownWebhook, RESTJSONErrorCodes.UnknownMessage)) throw error;
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

/** A response is a new message, or replaces the message of the component. */
export type ResponseKind = 'new' | 'update';

/** By default, a page button replaces its message, and everything else responds with a new one. */
export function responseKind({ response }: Reply | Panel, { action }: Pick<CommandInput, 'action'>): ResponseKind {
  return response ?? (action === null ? 'update' : 'new');
}

export type InteractionResponder = ReturnType<typeof createResponder>;

/**
 * The responses to an interaction. All reject with discord.js's errors. Discord: "Responding to an Interaction".
 * @param options.message that of the component, or of the one that opened the modal: it can be replaced, and other
 *   responses are new messages that only the member sees. A deferral changes nothing yet. Without it, as for a command,
 *   every response is a new message, and one that was deferred in public cannot be made ephemeral
 * @param options.mayOpenModal false where Discord allows no modal
 */
export function createResponder(
  transport: ResponseTransport,
  options: {
    readonly message?: APIMessage | undefined;
    readonly visibility: 'private' | 'public';
    readonly mayOpenModal: boolean;
  },
) {
  const { message, visibility, mayOpenModal } = options;
  const isPrivate = visibility === 'private';
  const updatesPanel = ((message?.flags ?? 0) & MessageFlags.IsComponentsV2) !== 0;
  const isUpdate = (kind: ResponseKind) => message !== undefined && kind === 'update';
  const replacing = (body: MessageBody) => ({
    // Discord keeps the files of an edited message that the edit does not list.
    ...(message?.attachments.length ? { attachments: [] } : {}),
    ...('flags' in body && !updatesPanel ? { content: null, embeds: [] } : {}),
    ...body,
  });
  const editOriginal = (body: MessageBody) => transport.editOriginal(...request(body));
  const followUp = (body: MessageBody) => transport.followUp(...request(toMember(body)));
  function newMessage(body: MessageBody | MemberBody): Promise<void> {
    const [data, files] = request(body);
    return transport.respond({ type: InteractionResponseType.ChannelMessageWithSource, data }, files);
  }

  return {
    /** True if an update replaces a message of panels, which can never contain an embed. */
    updatesPanel,
    /** The complete response, within 3 seconds. */
    reply(body: MessageBody, kind: ResponseKind): Promise<void> {
      if (!isUpdate(kind)) return newMessage(message !== undefined || isPrivate ? toMember(body) : body);
      const [data, files] = request(replacing(body));
      return transport.respond({ type: InteractionResponseType.UpdateMessage, data }, files);
    },
    /** The complete response, within 3 seconds; null where Discord allows no modal. */
    showModal: mayOpenModal
      ? (data: APIModalInteractionResponseCallbackData) =>
          transport.respond({ type: InteractionResponseType.Modal, data })
      : null,
    /** Acknowledges within 3 seconds; the response follows within 15 minutes. */
    deferReply(): Promise<void> {
      if (message !== undefined) return transport.respond({ type: InteractionResponseType.DeferredMessageUpdate });
      // The edit sets the flag of panels; the deferral must not have it.
      const data = isPrivate ? { flags: MessageFlags.Ephemeral } : {};
      return transport.respond({ type: InteractionResponseType.DeferredChannelMessageWithSource, data });
    },
    /** The response after `deferReply`. */
    editReply(body: MessageBody, kind: ResponseKind): Promise<void> {
      if (isUpdate(kind)) return editOriginal(replacing(body));
      return message === undefined ? editOriginal(body) : followUp(body);
    },
    /** Replaces the response of this kind, within 15 minutes. */
    replaceReply: (body: MessageBody, kind: ResponseKind) => editOriginal(isUpdate(kind) ? replacing(body) : body),
    /** An error message instead of the response, visible to the user alone, within 3 seconds. */
    reject: (body: MessageBody) => newMessage(toMember(body)),
    /** An error message after `deferReply`, visible to the user alone if Discord allows it. */
    rejectDeferred: message === undefined ? editOriginal : followUp,
    /** A further message after a response, visible to the user alone. */
    followUp,
  };
}

type MemberBody = Omit<MessageBody, 'flags'> & { readonly flags: number };

function toMember(body: MessageBody): MemberBody {
  return { ...body, flags: MessageFlags.Ephemeral | ('flags' in body ? body.flags : 0) };
}

function request({ files, ...body }: Pick<MessageBody, 'files'>): [body: object, files: RawFile[]] {
  if (files === undefined) return [body, []];
  const upload = uploadOf(files);
  return [{ ...body, attachments: upload.attachments }, upload.files];
}
