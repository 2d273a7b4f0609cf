import type { UploadedFile } from './body.ts';
import type { MessagePayload } from './message-schema.ts';
import type { Attachment } from './objects.ts';

interface KeptFile {
  readonly contentType: string;
  readonly bytes: Buffer;
}

/** A file as a member hands it over. */
export interface GivenFile extends KeptFile {
  readonly filename: string;
}

/** What was uploaded, kept in memory and served under `/attachments/…` as Discord's CDN would. */
export class Files {
  readonly #origin: string;
  readonly #nextId: () => string;
  readonly #kept = new Map<string, KeptFile>();

  constructor(origin: string, nextId: () => string) {
    this.#origin = origin;
    this.#nextId = nextId;
  }

  /** What came with a message, under the names and with the descriptions that its form gives. */
  keep(files: readonly UploadedFile[], form: MessagePayload): Attachment[] {
    return files.map((file) => {
      const described = form.attachments?.find((each) => Number(each.id) === file.number);
      const attachment = this.keepOne({ ...file, filename: described?.filename ?? file.filename });
      return described?.description ? { ...attachment, description: described.description } : attachment;
    });
  }

  keepOne({ filename: given, contentType, bytes }: GivenFile): Attachment {
    const id = this.#nextId();
    const filename = given.replaceAll(/[^\w.-]/g, '_');
    this.#kept.set(`${id}/${filename}`, { contentType, bytes });
    const url = `${this.#origin}/attachments/${id}/${filename}`;
    return { id, filename, content_type: contentType, size: bytes.length, url, proxy_url: url };
  }

  /** The file of a path below `/attachments/`. */
  find(path: string): KeptFile | undefined {
    return this.#kept.get(path);
  }
}

/** The form with every `attachment://name` replaced by the address at which the file now is. */
export function withAddresses(form: MessagePayload, attachments: readonly Attachment[]): MessagePayload {
  if (attachments.length === 0 || !form.embeds) return form;
  const address = (url: string) => attachments.find(({ filename }) => url === `attachment://${filename}`)?.url ?? url;
  const embeds = form.embeds.map((embed) => ({
    ...embed,
    ...(embed.image ? { image: { url: address(embed.image.url) } } : {}),
    ...(embed.thumbnail ? { thumbnail: { url: address(embed.thumbnail.url) } } : {}),
  }));
  return { ...form, embeds };
}
