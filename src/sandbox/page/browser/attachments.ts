import type { Attachment, Message } from '../../discord/objects.ts';
import { element } from './element.ts';

/** The file types that `discord-image-attachment` accepts. */
const imageExtension = /\.(?:bmp|jpe?g|png|gif|webp|tiff)$/i;

/** Discord, "Message Flags": attachments are visible only through components. */
const isComponentsV2 = 1 << 15;

/** The attachments of a message; null if there are none. */
export function attachmentCards({ attachments, flags }: Message): HTMLElement | null {
  if (attachments.length === 0 || (flags & isComponentsV2) !== 0) return null;
  return element('discord-attachments', { slot: 'attachments' }, ...attachments.map(attachmentCard));
}

/** The path of a file on the local Discord; null for external URLs, which the page never loads. */
export function localPath(url: string | undefined): string | null {
  const path = url === undefined ? '' : new URL(url, location.href).pathname;
  return path.startsWith('/attachments/') ? path : null;
}

function attachmentCard(attachment: Attachment): HTMLElement {
  const { url, filename, description, width, height } = attachment;
  const path = localPath(url);
  if (path !== null && imageExtension.test(path)) {
    const box = width && height ? fitPicture({ width, height }) : {};
    return element('discord-image-attachment', { url: path, alt: description ?? filename, ...box });
  }
  return fileCard(attachment);
}

/** Discord's largest size of a picture (pixels). */
const largest = { width: 550, height: 350 };

/** The size in which Discord shows a picture, so that its place is there before it is loaded (pixels). */
export function fitPicture(
  { width, height }: { readonly width: number; readonly height: number },
  max: { readonly width: number; readonly height: number } = largest,
) {
  const scale = Math.min(1, max.width / width, max.height / height);
  return { width: Math.round(width * scale), height: Math.round(height * scale) };
}

/** A file to download. */
export function fileCard({ url, filename, size }: Pick<Attachment, 'url' | 'filename' | 'size'>): HTMLElement {
  const target = { href: localPath(url), target: '_blank', rel: 'noopener noreferrer' };
  return element('discord-file-attachment', { name: filename, bytes: size, 'bytes-unit': 'bytes', ...target });
}
