import type { UploadedFile } from './body.ts';
import { errorResponse, fieldError } from './errors.ts';
import type { Embed, MessagePayload } from './message-schema.ts';
import type { MediaResolver } from './normalize-components.ts';
import type { Attachment, Message } from './objects.ts';

/** The limit of a guild without boosts, which interactions state as `attachment_size_limit` (bytes). */
export const maxFileBytes = 10 * 1024 * 1024;
const maxFiles = 10;

/** A file as it was uploaded. {@link Attachment} describes it in messages. */
export interface StoredFile {
  readonly contentType: string;
  readonly bytes: Buffer;
}

/** A file that a member uploads. */
export interface FileInput extends StoredFile {
  readonly filename: string;
}

/** The files of a message, and its payload with their URLs. */
export interface AttachedFiles {
  readonly payload: MessagePayload;
  /** New ones, without those that an embed shows. */
  readonly attachments: readonly Attachment[];
  readonly resolveMedia: MediaResolver;
}

/** By extension, for uploads that do not say their type. */
const typeByExtension: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  csv: 'text/csv',
  json: 'application/json',
  txt: 'text/plain',
};

/** Uploaded files, stored in memory and served under `/attachments/…` in place of Discord's CDN. */
export class Files {
  /** The beginning of the URLs of files. */
  readonly #prefix: string;
  readonly #nextId: () => string;
  readonly #files = new Map<string, StoredFile>();

  constructor(origin: string, nextId: () => string) {
    this.#prefix = `${origin}/attachments/`;
    this.#nextId = nextId;
  }

  /**
   * Stores the uploads of a new message, or of an edit of `existing`, and replaces every `attachment://name` of the embeds by the URL
   * of its file. As on Discord, a file that an embed shows is no attachment of the message.
   *
   * @throws DiscordApiError for too many or too large files
   */
  attach(
    uploads: readonly UploadedFile[],
    payload: MessagePayload,
    { existing, ephemeral = false }: { existing?: Message; ephemeral?: boolean } = {},
  ): AttachedFiles {
    if (uploads.length > maxFiles) throw tooManyFiles();
    if (uploads.some(({ bytes }) => bytes.length > maxFileBytes)) throw errorResponse.tooLarge();
    const uploaded = uploads.map((file) => {
      const metadata = payload.attachments?.find((each) => Number(each.id) === file.number);
      const attachment = this.store({ ...file, filename: metadata?.filename ?? file.filename });
      return {
        ...attachment,
        ...(metadata?.description ? { description: metadata.description } : {}),
        ...(ephemeral ? { ephemeral } : {}),
      };
    });
    const available = [...uploaded, ...(existing?.attachments ?? [])];
    const files = [...available, ...(existing?.embeds ?? []).flatMap(embedUrls).flatMap((url) => this.#ownFile(url))];
    const shownInEmbeds = new Set<string>();
    const resolveUrl = (url: string): string => {
      const file = url.startsWith(scheme) ? files.find(({ filename }) => url === scheme + filename) : undefined;
      if (file !== undefined) shownInEmbeds.add(file.url);
      return file?.url ?? url;
    };
    const embeds = payload.embeds?.map((embed) => withResolvedUrls(embed, resolveUrl, (url) => this.#sizeOf(url)));
    const attachments = uploaded.filter(({ url }) => !shownInEmbeds.has(url));
    const kept = existing === undefined ? [] : keptAttachments(existing, payload);
    if (kept.length + attachments.length > maxFiles) throw tooManyFiles();
    return {
      payload: embeds ? { ...payload, embeds } : payload,
      attachments,
      resolveMedia: (url) => this.#resolveMedia(url, available),
    };
  }

  store({ filename: originalName, contentType: declaredType, bytes }: FileInput): Attachment {
    const id = this.#nextId();
    const filename = originalName.replaceAll(/[^\w.-]/g, '_');
    const extension = /\.(\w+)$/.exec(filename)?.[1]?.toLowerCase() ?? '';
    const isDeclared = declaredType !== '' && declaredType !== unknownType;
    const contentType = isDeclared ? declaredType : (typeByExtension[extension] ?? unknownType);
    this.#files.set(`${id}/${filename}`, { contentType, bytes });
    const url = `${this.#prefix}${id}/${filename}`;
    const size = bytes.length;
    return { id, filename, content_type: contentType, size, url, proxy_url: url, ...pngSize(bytes) };
  }

  /** The file of a path below `/attachments/`. */
  find(path: string): StoredFile | undefined {
    return this.#files.get(path);
  }

  /** The width and height of an own picture (pixels); none of a file from elsewhere. */
  #sizeOf(url: string): { width?: number; height?: number } {
    const file = url.startsWith(this.#prefix) ? this.#files.get(url.slice(this.#prefix.length)) : undefined;
    return (file && pngSize(file.bytes)) ?? {};
  }

  #ownFile(url: string): { filename: string; url: string }[] {
    return url.startsWith(this.#prefix) ? [{ filename: url.slice(url.lastIndexOf('/') + 1), url }] : [];
  }

  #resolveMedia(url: string, available: readonly Attachment[]): ReturnType<MediaResolver> {
    if (!url.startsWith(scheme)) {
      return { media: { id: this.#nextId(), url, proxy_url: url }, filename: null, size: null };
    }
    const attachment = available.find(({ filename }) => url === scheme + filename);
    if (attachment === undefined) {
      const code = 'UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND';
      throw fieldError(['components'], code, `The referenced attachment "${url.slice(scheme.length)}" was not found.`);
    }
    const { id, filename, size, proxy_url, content_type, width, height } = attachment;
    const dimensions = width === undefined || height === undefined ? {} : { width, height };
    const media = { id, url: attachment.url, proxy_url, content_type, ...dimensions, attachment_id: id };
    return { media, filename, size };
  }
}

const scheme = 'attachment://';
const unknownType = 'application/octet-stream';

/** The files of pictures that are given as `data:` URLs, by the same names. */
export function filesOf(pictures: Readonly<Record<string, string>>): ReadonlyMap<string, StoredFile> {
  const all = Object.entries(pictures).flatMap(([name, url]) => {
    const [, contentType = '', encoded = ''] = /^data:([\w/+.-]+);base64,(.*)$/.exec(url) ?? [];
    return encoded === '' ? [] : [[name, { contentType, bytes: Buffer.from(encoded, 'base64') }] as const];
  });
  return new Map(all);
}

/** True if a message shows an uploaded file, which is lost when the server stops. */
export function showsFiles({ attachments, embeds }: Message): boolean {
  return attachments.length > 0 || embeds.flatMap(embedUrls).some((url) => /^http:\/\/[^/]+\/attachments\//.test(url));
}

type ImageHolder = Pick<Embed, 'image' | 'thumbnail' | 'author' | 'footer'>;

function embedUrls({ image, thumbnail, author, footer }: ImageHolder): string[] {
  return [image?.url, thumbnail?.url, author?.icon_url, footer?.icon_url].flatMap((url) => url ?? []);
}

/** Discord states the size of the pictures of an embed, so that clients reserve their place. */
function withResolvedUrls(
  embed: Embed,
  resolve: (url: string) => string,
  sizeOf: (url: string) => { width?: number; height?: number },
): Embed {
  const { image, thumbnail, author, footer } = embed;
  const resolvePicture = (picture: NonNullable<Embed['image']>) => {
    const url = resolve(picture.url);
    return { ...picture, url, ...sizeOf(url) };
  };
  return {
    ...embed,
    ...(image ? { image: resolvePicture(image) } : {}),
    ...(thumbnail ? { thumbnail: resolvePicture(thumbnail) } : {}),
    ...(author?.icon_url ? { author: { ...author, icon_url: resolve(author.icon_url) } } : {}),
    ...(footer?.icon_url ? { footer: { ...footer, icon_url: resolve(footer.icon_url) } } : {}),
  };
}

/** The attachments of a message that an edit does not remove: all, or those that the payload lists. */
export function keptAttachments(message: Message, payload: MessagePayload): readonly Attachment[] {
  const listed = payload.attachments;
  return listed
    ? message.attachments.filter(({ id }) => listed.some((each) => String(each.id) === id))
    : message.attachments;
}

function tooManyFiles() {
  return fieldError(['attachments'], 'BASE_TYPE_MAX_LENGTH', `Must be ${maxFiles} or fewer in length.`);
}

/** The width and height of a PNG in pixels; undefined for anything else. */
function pngSize(bytes: Buffer): { width: number; height: number } | undefined {
  const signature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
  const isPng = bytes.length >= 24 && signature.every((byte, index) => bytes[index] === byte);
  return isPng ? { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) } : undefined;
}
