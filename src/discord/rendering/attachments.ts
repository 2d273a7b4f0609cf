import type { RawFile } from '@discordjs/rest';
import { plainName } from '@tallyhook/platform/truncate';
import type { ReplyFile } from '../commands/reply.ts';

/** Discord: "Uploading Files" (count). */
const maxFiles = 10;
/** Discord: "Attachment Object", "Media Gallery", "Thumbnail" (characters). */
const maxDescriptionLength = 1_024;
/** Discord replaces other characters, so that a reference would lead nowhere. */
const referableName = /^[A-Za-z0-9][\w.-]{0,99}$/;

/** A file that is sent with a message. */
export interface Attachment {
  readonly name: string;
  readonly content: Buffer;
  readonly description?: string;
}

export function renderFiles(files: readonly ReplyFile[]): Attachment[] {
  return files.slice(0, maxFiles).map(({ name, content, description }) => ({
    name,
    content: Buffer.from(content.buffer, content.byteOffset, content.byteLength),
    ...descriptionOf(description),
  }));
}

/** The entries of `attachments` in the body of a message, and the files beside it. Discord: "Uploading Files". */
export interface Upload {
  readonly attachments: readonly { readonly id: string; readonly filename: string; readonly description?: string }[];
  readonly files: RawFile[];
}

export function uploadOf(files: readonly Attachment[]): Upload {
  return {
    attachments: files.map(({ name, description }, id) => ({
      id: String(id),
      filename: name,
      ...(description === undefined ? {} : { description }),
    })),
    files: files.map(({ name, content }) => ({ name, data: content })),
  };
}

/** The names of the files that embeds and components of the message can show. */
export function attachedNames(files: readonly ReplyFile[] = []): string[] {
  const names = files.slice(0, maxFiles).map(({ name }) => name);
  return [...new Set(names)].filter((name) => referableName.test(name));
}

/** The URL by which a message shows an attached file. */
export function attachmentUrl(name: string): string {
  return `attachment://${name}`;
}

/** For screen readers; nothing if it is empty. */
export function descriptionOf(text: string | undefined): { readonly description?: string } {
  const description = plainName(text ?? '', maxDescriptionLength);
  return description === '' ? {} : { description };
}
