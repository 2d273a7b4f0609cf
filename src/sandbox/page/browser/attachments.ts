import type { Attachment, Message } from '../../discord/objects.ts';
import { element } from './element.ts';

/** The file types that `discord-image-attachment` accepts. */
const imageExtension = /\.(?:bmp|jpe?g|png|gif|webp|tiff)$/i;

/** The attachments of a message; null if there are none. */
export function attachmentCards({ attachments }: Message): HTMLElement | null {
  if (attachments.length === 0) return null;
  return element('discord-attachments', { slot: 'attachments' }, ...attachments.map(attachmentCard));
}

/** The path of a file on the local Discord; null for external URLs, which the page never loads. */
export function localPath(url: string | undefined): string | null {
  const path = url === undefined ? '' : new URL(url, location.href).pathname;
  return path.startsWith('/attachments/') ? path : null;
}

function attachmentCard({ url, filename, description, size }: Attachment): HTMLElement {
  const path = localPath(url);
  if (path !== null && imageExtension.test(path)) {
    return element('discord-image-attachment', { url: path, alt: description ?? filename });
  }
  const target = { href: path, target: '_blank', rel: 'noopener noreferrer' };
  return element('discord-file-attachment', { name: filename, bytes: size, 'bytes-unit': 'bytes', ...target });
}
