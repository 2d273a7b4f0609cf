import type { APIInteractionResponse, RawFile } from 'discord.js';

/** The body of a message that edits or follows a response. */
export type ResponseMessage = object;

/**
 * Carries the responses to one interaction, however it was received. Each method rejects with discord.js's errors.
 * Discord: "Receiving and Responding".
 */
export interface ResponseTransport {
  /** The initial response, within 3 seconds of the interaction. */
  respond(response: APIInteractionResponse, files?: readonly RawFile[]): Promise<void>;
  /** Edits the initial response, or the message of the component after a deferred update; within 15 minutes. */
  editOriginal(message: ResponseMessage, files: readonly RawFile[]): Promise<void>;
  /** A further message, after the initial response and within 15 minutes. */
  followUp(message: ResponseMessage, files: readonly RawFile[]): Promise<void>;
}
