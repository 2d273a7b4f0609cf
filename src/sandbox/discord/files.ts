import type { UploadedFile } from './body.ts';
import type { MessageForm } from './limits.ts';
import type { Attachment } from './shapes.ts';

interface KeptFile {
  readonly contentType: string;
  readonly bytes: Buffer;
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

  keep(files: readonly UploadedFile[], form: MessageForm): Attachment[] {
    return files.map((file) => {
      const id = this.#nextId();
      const described = form.attachments?.find((each) => Number(each.id) === file.number);
      const filename = (described?.filename ?? file.filename).replaceAll(/[^\w.-]/g, '_');
      this.#kept.set(`${id}/${filename}`, file);
      const url = `${this.#origin}/attachments/${id}/${filename}`;
      return {
        id,
        filename,
        ...(described?.description ? { description: described.description } : {}),
        content_type: file.contentType,
        size: file.bytes.length,
        url,
        proxy_url: url,
      };
    });
  }

  /** The file of a path below `/attachments/`. */
  find(path: string): KeptFile | undefined {
    return this.#kept.get(path);
  }
}

/** The form with every `attachment://name` replaced by the address at which the file now is. */
export function withAddresses(form: MessageForm, attachments: readonly Attachment[]): MessageForm {
  if (attachments.length === 0 || !form.embeds) return form;
  const address = (url: string) => attachments.find(({ filename }) => url === `attachment://${filename}`)?.url ?? url;
  const embeds = form.embeds.map((embed) => ({
    ...embed,
    ...(embed.image ? { image: { url: address(embed.image.url) } } : {}),
    ...(embed.thumbnail ? { thumbnail: { url: address(embed.thumbnail.url) } } : {}),
  }));
  return { ...form, embeds };
}
