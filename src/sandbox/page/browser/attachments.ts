import type { Attachment, Message } from '../../discord/objects.ts';
import { element } from './element.ts';

/** What the library takes for a picture; it refuses to draw anything else as one. */
const imageExtension = /\.(?:bmp|jpe?g|png|gif|webp|tiff)$/i;

/** The files of a message, or nothing. */
export function attachmentCards({ attachments }: Message): HTMLElement | null {
  if (attachments.length === 0) return null;
  return element('discord-attachments', { slot: 'attachments' }, ...attachments.map(attachmentCard));
}

/** The path of a file that this Discord keeps, or nothing: the page asks nothing of the network. */
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
