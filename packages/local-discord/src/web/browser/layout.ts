import { ref } from 'lit/directives/ref.js';
import { messageFlag } from '../../message-flags.ts';
import { syncDisabled } from './discord-components.ts';
import { html, nothing, type TemplateResult, toElement } from './element.ts';
import { renderMarkdown } from './render-markdown.ts';
import { type ComponentContext, selectElement } from './select.ts';
import type {
  MessageView,
  ShownAttachment,
  ShownButton,
  ShownComponent,
  ShownContainer,
  ShownMessage,
  ShownPicture,
  ShownSection,
  ShownSelect,
} from './shown-message.ts';
import { styleMap } from './style-map.ts';

/** The components of a message, in order. */
export function componentElements(components: readonly ShownComponent[], context: ComponentContext): HTMLElement[] {
  return components.map((component) => {
    const node = toElement(componentTemplate(component, context));
    node.slot = 'components';
    return node;
  });
}

function componentTemplate(component: ShownComponent, context: ComponentContext): TemplateResult {
  switch (component.type) {
    case 1:
      return rowTemplate(component.components, context);
    case 9:
      return sectionTemplate(component, context);
    case 10:
      return html`<div class="content layout-text">${renderMarkdown(component.content, context.view)}</div>`;
    case 12:
      return html`<div class="layout-gallery" data-count=${component.items.length}>${component.items.map((each) => image(each, context.view))}</div>`;
    case 13: {
      const { file, name, size } = component;
      return fileCard({ url: file.url, filename: name ?? 'file', size: size ?? 0 }, context.view);
    }
    case 14:
      return html`<hr class=${component.divider === false ? 'layout-space' : 'layout-separator'} data-spacing=${component.spacing ?? 1}>`;
    case 17:
      return containerTemplate(component, context);
  }
}

/** A row of buttons, or of one select. The button component must be in one. */
function rowTemplate(
  controls: readonly (ShownButton | ShownSelect)[],
  context: ComponentContext,
  className: string | typeof nothing = nothing,
): TemplateResult {
  const elements = controls.map((each) => (each.type === 2 ? button(each, context) : selectElement(each, context)));
  return html`<discord-action-row class=${className} aria-busy=${context.isBusy}>${elements}</discord-action-row>`;
}

/** Discord's "Button Styles" as `discord-button` types. */
const buttonStyles: Readonly<Record<number, string>> = { 1: 'primary', 2: 'secondary', 3: 'success', 4: 'destructive' };

function button(
  { style, emoji, label, url, disabled, custom_id: customId }: ShownButton,
  { view, isBusy, useComponent: press }: ComponentContext,
): TemplateResult {
  const click = () => {
    if (customId && !disabled && !isBusy) press(customId);
  };
  return html`<discord-button type=${buttonStyles[style] ?? 'secondary'} url=${url ? view.linkTo(url) : nothing} ?disabled=${Boolean(disabled)} data-custom-id=${customId ?? nothing} @click=${click} ${ref(syncDisabled)}>${[emoji?.name, label].filter(Boolean).join(' ')}</discord-button>`;
}

function sectionTemplate({ components, accessory }: ShownSection, context: ComponentContext): TemplateResult {
  const texts = components.map((each) => componentTemplate(each, context));
  const beside =
    accessory.type === 11 ? image(accessory, context.view) : rowTemplate([accessory], context, 'layout-accessory');
  return html`<div class="layout-section"><div class="layout-texts">${texts}</div>${beside}</div>`;
}

function containerTemplate(container: ShownContainer, context: ComponentContext): TemplateResult {
  const { components, accent_color, spoiler } = container;
  const accent = accent_color == null ? null : `#${accent_color.toString(16).padStart(6, '0')}`;
  const parts = components.map((each) => componentTemplate(each, context));
  const template = html`<div class=${accent === null ? 'layout-container' : 'layout-container accented'} style=${styleMap({ '--accent': accent })}>${parts}</div>`;
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

/** An image; only its description or address if the page does not load it. */
function image(shown: ShownPicture, view: MessageView): TemplateResult {
  return shown.spoiler ? hidden(imageTemplate(shown, view)) : imageTemplate(shown, view);
}

function imageTemplate({ media, description }: ShownPicture, view: MessageView): TemplateResult {
  const path = view.pictureAt(media.url, description ?? '');
  if (path === null) return html`<span class="layout-media">${description ?? media.url}</span>`;
  const { width, height } = media;
  const box = width && height ? fitPicture({ width, height }) : null;
  const style = styleMap(box ? { '--width': `${box.width}px`, '--ratio': `${box.width} / ${box.height}` } : {});
  return html`<img class="layout-media" src=${path} alt=${description ?? ''} width=${width ?? nothing} height=${height ?? nothing} style=${style}>`;
}

/** The file types that `discord-image-attachment` accepts. */
const imageExtension = /\.(?:bmp|jpe?g|png|gif|webp|tiff)$/i;

/** The attachments of a message; null if there are none. */
export function attachmentCards({ attachments, flags }: ShownMessage, view: MessageView): TemplateResult | null {
  if (attachments.length === 0 || (flags & messageFlag.isComponentsV2) !== 0) return null;
  return html`<discord-attachments slot="attachments">${attachments.map((each) => attachmentCard(each, view))}</discord-attachments>`;
}

function attachmentCard(attachment: ShownAttachment, view: MessageView): TemplateResult {
  const { url, filename, description, width, height } = attachment;
  const path = view.fileAt(url);
  if (path === null || !imageExtension.test(path)) return fileCard(attachment, view);
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

function fileCard(
  { url, filename, size }: Pick<ShownAttachment, 'url' | 'filename' | 'size'>,
  view: MessageView,
): TemplateResult {
  const [shown, unit] = size < 1024 ? [size, 'bytes'] : [Math.round(size / 1024), 'KB'];
  return html`<discord-file-attachment name=${filename} bytes=${shown} bytes-unit=${unit} href=${view.fileAt(url) ?? nothing} target="_blank" rel="noopener noreferrer"></discord-file-attachment>`;
}
