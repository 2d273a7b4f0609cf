import type { UploadedFile } from './body.ts';
import type { MessagePayload } from './message-schema.ts';
import type { Attachment } from './objects.ts';

interface StoredFile {
  readonly contentType: string;
  readonly bytes: Buffer;
}

/** A file that a member uploads. */
export interface FileInput extends StoredFile {
  readonly filename: string;
}

/** Uploaded files, stored in memory and served under `/attachments/…` in place of Discord's CDN. */
export class Files {
  readonly #origin: string;
  readonly #nextId: () => string;
  readonly #files = new Map<string, StoredFile>();

  constructor(origin: string, nextId: () => string) {
    this.#origin = origin;
    this.#nextId = nextId;
  }

  /** Stores the files of a message, with the names and descriptions from its payload. */
  storeUploads(files: readonly UploadedFile[], payload: MessagePayload): Attachment[] {
    return files.map((file) => {
      const metadata = payload.attachments?.find((each) => Number(each.id) === file.number);
      const attachment = this.store({ ...file, filename: metadata?.filename ?? file.filename });
      return metadata?.description ? { ...attachment, description: metadata.description } : attachment;
    });
  }

  store({ filename: originalName, contentType, bytes }: FileInput): Attachment {
    const id = this.#nextId();
    const filename = originalName.replaceAll(/[^\w.-]/g, '_');
    this.#files.set(`${id}/${filename}`, { contentType, bytes });
    const url = `${this.#origin}/attachments/${id}/${filename}`;
    return { id, filename, content_type: contentType, size: bytes.length, url, proxy_url: url };
  }

  /** The file of a path below `/attachments/`. */
  find(path: string): StoredFile | undefined {
    return this.#files.get(path);
  }
}

/** Replaces every `attachment://name` in the embeds by the URL of the stored file. */
export function resolveAttachmentUrls(payload: MessagePayload, attachments: readonly Attachment[]): MessagePayload {
  if (attachments.length === 0 || !payload.embeds) return payload;
  const resolveUrl = (url: string) =>
    attachments.find(({ filename }) => url === `attachment://${filename}`)?.url ?? url;
  const embeds = payload.embeds.map((embed) => ({
    ...embed,
    ...(embed.image ? { image: { url: resolveUrl(embed.image.url) } } : {}),
    ...(embed.thumbnail ? { thumbnail: { url: resolveUrl(embed.thumbnail.url) } } : {}),
  }));
  return { ...payload, embeds };
}
