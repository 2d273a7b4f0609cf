import { messageFlag } from '../../discord/message-flags.ts';
import type { Attachment, Message } from '../../discord/objects.ts';
import { html, nothing, type TemplateResult } from './element.ts';

/** The file types that `discord-image-attachment` accepts. */
const imageExtension = /\.(?:bmp|jpe?g|png|gif|webp|tiff)$/i;

/** The attachments of a message; null if there are none. */
export function attachmentCards({ attachments, flags }: Message): TemplateResult | null {
  if (attachments.length === 0 || (flags & messageFlag.isComponentsV2) !== 0) return null;
  return html`<discord-attachments slot="attachments">${attachments.map(attachmentCard)}</discord-attachments>`;
}

/** The path of a file on the local Discord; null for external URLs, which the page never loads. */
export function localPath(url: string | undefined): string | null {
  const path = url === undefined ? '' : new URL(url, location.href).pathname;
  return path.startsWith('/attachments/') ? path : null;
}

function attachmentCard(attachment: Attachment): TemplateResult {
  const { url, filename, description, width, height } = attachment;
  const path = localPath(url);
  if (path === null || !imageExtension.test(path)) return fileCard(attachment);
  const box = width && height ? fitPicture({ width, height }) : { width: nothing, height: nothing };
  return html`<discord-image-attachment url=${path} alt=${description ?? filename} width=${box.width} height=${box.height}></discord-image-attachment>`;
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
export function fileCard({ url, filename, size }: Pick<Attachment, 'url' | 'filename' | 'size'>): TemplateResult {
  return html`<discord-file-attachment name=${filename} bytes=${size} bytes-unit="bytes" href=${localPath(url) ?? nothing} target="_blank" rel="noopener noreferrer"></discord-file-attachment>`;
}
