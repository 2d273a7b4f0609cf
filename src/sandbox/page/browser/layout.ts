import { ref } from 'lit/directives/ref.js';
import { messageFlag } from '../../discord/flags.ts';
import type {
  Attachment,
  Message,
  NormalizedComponent,
  NormalizedContainer,
  NormalizedControl,
  NormalizedSection,
  Shown,
} from '../../discord/objects.ts';
import { syncDisabled } from './discord-components.ts';
import { html, nothing, type TemplateResult, toElement } from './element.ts';
import { avatarUrl } from './profile.ts';
import { renderMarkdown } from './render-markdown.ts';
import { type ComponentContext, selectElement } from './select.ts';

/** The components of a message, in order. */
export function componentElements(
  components: readonly NormalizedComponent[],
  context: ComponentContext,
): HTMLElement[] {
  return components.map((component) => {
    const node = toElement(componentTemplate(component, context));
    node.slot = 'components';
    return node;
  });
}

function componentTemplate(component: NormalizedComponent, context: ComponentContext): TemplateResult {
  switch (component.type) {
    case 1:
      return rowTemplate(component.components, context);
    case 9:
      return sectionTemplate(component, context);
    case 10:
      return html`<div class="content layout-text">${renderMarkdown(component.content, context.state)}</div>`;
    case 12:
      return html`<div class="layout-gallery" data-count=${component.items.length}>${component.items.map(image)}</div>`;
    case 13: {
      const { file, name, size } = component;
      return fileCard({ url: file.url, filename: name ?? 'file', size: size ?? 0 });
    }
    case 14:
      return html`<hr class=${component.divider ? 'layout-separator' : 'layout-space'} data-spacing=${component.spacing}>`;
    case 17:
      return containerTemplate(component, context);
  }
}

/** A row of buttons, or of one select. The button component must be in one. */
function rowTemplate(
  controls: readonly NormalizedControl[],
  context: ComponentContext,
  className: string | typeof nothing = nothing,
): TemplateResult {
  const elements = controls.map((each) => (each.type === 2 ? button(each, context) : selectElement(each, context)));
  return html`<discord-action-row class=${className} aria-busy=${context.isBusy}>${elements}</discord-action-row>`;
}

/** Discord's "Button Styles" as `discord-button` types. */
const buttonStyles: Readonly<Record<number, string>> = { 1: 'primary', 2: 'secondary', 3: 'success', 4: 'destructive' };

function button(
  { style, emoji, label, url, disabled, custom_id: customId }: Extract<NormalizedControl, { type: 2 }>,
  { state, isBusy, useComponent: press }: ComponentContext,
): TemplateResult {
  const click = () => {
    if (customId && !disabled && !isBusy) press(customId);
  };
  return html`<discord-button type=${buttonStyles[style] ?? 'secondary'} url=${url ? imitatedPage(url, state) : nothing} ?disabled=${Boolean(disabled)} data-custom-id=${customId ?? nothing} @click=${click} ${ref(syncDisabled)}>${[emoji?.name, label].filter(Boolean).join(' ')}</discord-button>`;
}

/** The local page of a site that the sandbox imitates, in place of the real one. */
function imitatedPage(url: string, { listings, userId }: ComponentContext['state']): string {
  const site = listings.find((listing) => listing.site?.page === url)?.site;
  return site === undefined ? url : `${site.localPage}?as=${userId}`;
}

function sectionTemplate({ components, accessory }: NormalizedSection, context: ComponentContext): TemplateResult {
  const texts = components.map((each) => componentTemplate(each, context));
  const beside = accessory.type === 11 ? image(accessory) : rowTemplate([accessory], context, 'layout-accessory');
  return html`<div class="layout-section"><div class="layout-texts">${texts}</div>${beside}</div>`;
}

function containerTemplate(container: NormalizedContainer, context: ComponentContext): TemplateResult {
  const { components, accent_color, spoiler } = container;
  const style = accent_color === null ? nothing : `--accent: #${accent_color.toString(16).padStart(6, '0')}`;
  const parts = components.map((each) => componentTemplate(each, context));
  const template = html`<div class="layout-container" style=${style}>${parts}</div>`;
  return spoiler ? hidden(template) : template;
}

/** Blurs a part until it is pressed. */
function hidden(template: TemplateResult): TemplateResult {
  const part = toElement(template);
  part.inert = true;
  const reveal = ({ currentTarget }: Event) => {
    part.inert = false;
    (currentTarget as HTMLElement).parentElement?.replaceWith(part);
  };
  return html`<div class="layout-spoiler">${part}<button type="button" aria-label="Spoiler, press to show" @click=${reveal}>Spoiler</button></div>`;
}

/** An image from the local Discord; only its description or address for others, which the page never loads. */
function image(shown: Shown): TemplateResult {
  return shown.spoiler ? hidden(imageTemplate(shown)) : imageTemplate(shown);
}

function imageTemplate({ media, description }: Shown): TemplateResult {
  const path = pictureSource(media.url, description ?? '');
  if (path === null) return html`<span class="layout-media">${description ?? media.url}</span>`;
  const { width, height } = media;
  const box = width && height ? fitPicture({ width, height }) : null;
  const style = box ? `--width: ${box.width}px; --ratio: ${box.width} / ${box.height}` : nothing;
  return html`<img class="layout-media" src=${path} alt=${description ?? ''} width=${width ?? nothing} height=${height ?? nothing} style=${style}>`;
}

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

/** The address of a picture of a member or a guild on Discord's CDN. */
const portrait = /^https:\/\/cdn\.discordapp\.com\/(?:icons|avatars|guilds\/\d+\/users)\/(\d{1,20})\//;

/** What is shown of a picture: a file on the local Discord, or what stands for that of a member or guild; null for others. */
export function pictureSource(url: string | undefined, name: string): string | null {
  const [, id] = portrait.exec(url ?? '') ?? [];
  return id === undefined ? localPath(url) : avatarUrl(id, name);
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
function fileCard({ url, filename, size }: Pick<Attachment, 'url' | 'filename' | 'size'>): TemplateResult {
  const [shown, unit] = size < 1024 ? [size, 'bytes'] : [Math.round(size / 1024), 'KB'];
  return html`<discord-file-attachment name=${filename} bytes=${shown} bytes-unit=${unit} href=${localPath(url) ?? nothing} target="_blank" rel="noopener noreferrer"></discord-file-attachment>`;
}
