import { DiscordAPIError, type RawFile, REST, type RESTOptions } from '@discordjs/rest';
import type { Clock } from '@tallyhook/platform/clock';
import { second } from '@tallyhook/platform/durations';
import {
  type APIInteraction,
  type APIInteractionResponse,
  type APIMessage,
  type APIModalInteractionResponseCallbackData,
  type APIModalSubmitInteraction,
  InteractionResponseType,
  MessageFlags,
  RESTJSONErrorCodes,
  Routes,
} from 'discord-api-types/v10';
import type { CommandInput } from '../commands/command.ts';
import type { Panel, Reply } from '../commands/reply.ts';
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

/** Whether a response is a new message, or replaces the message of the component. */
export type ResponseKind = 'new' | 'update';

/** By default, a page button replaces its message, and everything else responds with a new one. */
export function responseKind({ response }: Reply | Panel, { action }: Pick<CommandInput, 'action'>): ResponseKind {
  return response ?? (action === null ? 'update' : 'new');
}

/** The responses to an interaction. All reject with discord.js's errors. Discord: "Responding to an Interaction". */
export interface InteractionResponder {
  /** True if an update replaces a message of panels, which can never contain an embed. */
  readonly updatesPanel: boolean;
  /** The complete response, within 3 seconds. Without a message of a component it is always a new message. */
  reply(body: MessageBody, kind: ResponseKind): Promise<void>;
  /** The complete response, within 3 seconds; null where Discord allows no modal. */
  readonly showModal: ((modal: APIModalInteractionResponseCallbackData) => Promise<void>) | null;
  /** Acknowledges within 3 seconds; the response follows within 15 minutes. */
  deferReply(): Promise<void>;
  /** The response after {@link deferReply}. */
  editReply(body: MessageBody, kind: ResponseKind): Promise<void>;
  /** Replaces the response of this kind, within 15 minutes. */
  replaceReply(body: MessageBody, kind: ResponseKind): Promise<void>;
  /** An error message instead of the response, visible to the user alone, within 3 seconds. */
  reject(body: MessageBody): Promise<void>;
  /** An error message after {@link deferReply}, visible to the user alone if Discord allows it. */
  rejectDeferred(body: MessageBody): Promise<void>;
  /** A further message after a response, visible to the user alone. */
  followUp(body: MessageBody): Promise<void>;
}

/** A slash command responds with a new message; one that was deferred in public cannot be made ephemeral. */
export function commandResponder(transport: ResponseTransport, visibility: 'private' | 'public'): InteractionResponder {
  return { ...newMessageResponder(transport, visibility), showModal: showModalBy(transport) };
}

/** A button or select edits its message or sends a new one to the member, and responds to errors with a new one. */
export function componentResponder(transport: ResponseTransport, message: APIMessage): InteractionResponder {
  return { ...messageResponder(transport, message), showModal: showModalBy(transport) };
}

/** A modal responds as what opened it: a component, or a command of this visibility. */
export function modalResponder(
  transport: ResponseTransport,
  { message }: Pick<APIModalSubmitInteraction, 'message'>,
  visibility: 'private' | 'public',
): InteractionResponder {
  const responder =
    message === undefined ? newMessageResponder(transport, visibility) : messageResponder(transport, message);
  return { ...responder, showModal: null };
}

type WithoutModal = Omit<InteractionResponder, 'showModal'>;

function showModalBy(transport: ResponseTransport): NonNullable<InteractionResponder['showModal']> {
  return (data) => transport.respond({ type: InteractionResponseType.Modal, data });
}

function newMessageResponder(transport: ResponseTransport, visibility: 'private' | 'public'): WithoutModal {
  const isPrivate = visibility === 'private';
  const edit = (body: MessageBody) => transport.editOriginal(...request(body));
  return {
    updatesPanel: false,
    reply: (body) => newMessage(transport, isPrivate ? toMember(body) : body),
    // The edit sets the flag of panels; the deferral must not have it.
    deferReply: () =>
      transport.respond({
        type: InteractionResponseType.DeferredChannelMessageWithSource,
        data: isPrivate ? { flags: MessageFlags.Ephemeral } : {},
      }),
    editReply: edit,
    replaceReply: edit,
    reject: (body) => newMessage(transport, toMember(body)),
    rejectDeferred: edit,
    followUp: (body) => transport.followUp(...request(toMember(body))),
  };
}

/** A deferred update changes nothing yet, so the response can still be either kind. */
function messageResponder(transport: ResponseTransport, message: APIMessage): WithoutModal {
  const updatesPanel = ((message.flags ?? 0) & MessageFlags.IsComponentsV2) !== 0;
  const replacing = (body: MessageBody) => ({
    // Discord keeps the files of an edited message that the edit does not list.
    ...(message.attachments.length > 0 ? { attachments: [] } : {}),
    ...('flags' in body && !updatesPanel ? { content: null, embeds: [] } : {}),
    ...body,
  });
  const followUp = (body: MessageBody) => transport.followUp(...request(toMember(body)));
  const replyToMember = (body: MessageBody) => newMessage(transport, toMember(body));
  return {
    updatesPanel,
    reply(body, kind) {
      if (kind === 'new') return replyToMember(body);
      const [data, files] = request(replacing(body));
      return transport.respond({ type: InteractionResponseType.UpdateMessage, data }, files);
    },
    deferReply: () => transport.respond({ type: InteractionResponseType.DeferredMessageUpdate }),
    editReply: (body, kind) =>
      kind === 'update' ? transport.editOriginal(...request(replacing(body))) : followUp(body),
    replaceReply: (body, kind) => transport.editOriginal(...request(kind === 'update' ? replacing(body) : body)),
    reject: replyToMember,
    rejectDeferred: followUp,
    followUp,
  };
}

function newMessage(transport: ResponseTransport, body: MessageBody | MemberBody): Promise<void> {
  const [data, files] = request(body);
  return transport.respond({ type: InteractionResponseType.ChannelMessageWithSource, data }, files);
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
