import type { RawFile } from '@discordjs/rest';
import {
  type APIMessage,
  type APIModalInteractionResponseCallbackData,
  type APIModalSubmitInteraction,
  InteractionResponseType,
  MessageFlags,
} from 'discord-api-types/v10';
import type { CommandInput } from '../commands/input.ts';
import type { Panel, Reply } from '../commands/reply.ts';
import { uploadOf } from '../rendering/attachments.ts';
import type { MessageBody } from '../rendering/message.ts';
import type { ResponseTransport } from './transport.ts';

/** Whether a response is a new message, or replaces the message of the component. */
export type ResponseKind = 'new' | 'update';

/** By default, a page button replaces its message, and everything else responds with a new one. */
export function responseKind({ response }: Reply | Panel, { action }: Pick<CommandInput, 'action'>): ResponseKind {
  return response ?? (action === null ? 'update' : 'new');
}

/**
 * The responses to one interaction. Each method rejects with discord.js's errors. Discord: "Responding to an
 * Interaction".
 */
export interface InteractionResponder {
  /** Whether an update replaces a message of panels, which can never contain an embed. */
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

/**
 * A slash command responds with a new message. A response that was deferred in public cannot be made ephemeral later.
 */
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

/** The JSON body of a request, and the files beside it. */
function request({ files, ...body }: Pick<MessageBody, 'files'>): [body: object, files: RawFile[]] {
  if (files === undefined) return [body, []];
  const upload = uploadOf(files);
  return [{ ...body, attachments: upload.attachments }, upload.files];
}
