import type { ReplyFile } from '../src/discord/commands/reply.ts';
import type { Texts } from '../src/texts/texts.ts';

export interface VotePictureRequest {
  /** The names of the listings whose votes are added up. They belong to one community. */
  readonly listings: readonly string[];
  /** The language of the picture and of its alt text. */
  readonly texts: Texts;
  /** 1 for replies: 900 × 450 pixels. 2 for messages that stay: twice as sharp, and twice as large. */
  readonly scale: 1 | 2;
  /** ms since the epoch */
  readonly now: number;
}

/** An image to attach, with its alt text. */
export interface VotePicture {
  readonly file: ReplyFile;
  /** What the picture shows, in a language whose script it cannot draw; null if it has words itself. */
  readonly caption: string | null;
}

/**
 * Draws the counted votes per day of the last 30 days. Null if they began less than a week ago, when they would say
 * little beside the counts of the service, or if the picture cannot be drawn. Never rejects, but may take seconds.
 * Returns the same object again while votes and language are the same.
 */
export type DrawVotePicture = (request: VotePictureRequest) => Promise<VotePicture | null>;
