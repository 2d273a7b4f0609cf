import type {
  Media,
  NormalizedComponent,
  NormalizedContainer,
  NormalizedGallery,
  NormalizedSection,
} from '../../discord/normalized-components.ts';
import { fileCard, localPath } from './attachments.ts';
import { controlElement, rowElement } from './components.ts';
import { element } from './element.ts';
import { renderMarkdown } from './render-markdown.ts';
import type { ComponentContext } from './select.ts';

/** The components of a message, in order. */
export function componentElements(
  components: readonly NormalizedComponent[],
  context: ComponentContext,
): HTMLElement[] {
  return components.map((component) => {
    const node = componentElement(component, context);
    node.slot = 'components';
    return node;
  });
}

function componentElement(component: NormalizedComponent, context: ComponentContext): HTMLElement {
  switch (component.type) {
    case 1:
      return rowElement(component, context);
    case 9:
      return sectionElement(component, context);
    case 10:
      return element('div', { class: 'content layout-text' }, renderMarkdown(component.content, context.state));
    case 12:
      return galleryElement(component);
    case 13: {
      const { file, name, size } = component;
      return fileCard({ url: file.url, filename: name ?? 'file', size: size ?? 0 });
    }
    case 14:
      return element('hr', { class: component.divider ? 'layout-separator' : 'layout-space' });
    case 17:
      return containerElement(component, context);
  }
}

function sectionElement({ components, accessory }: NormalizedSection, context: ComponentContext): HTMLElement {
  const texts = components.map((each) => componentElement(each, context));
  const beside = accessory.type === 11 ? image(accessory) : controlElement(accessory, context);
  return element('div', { class: 'layout-section' }, element('div', {}, ...texts), beside);
}

function galleryElement({ items }: NormalizedGallery): HTMLElement {
  return element('div', { class: 'layout-gallery', 'data-count': items.length }, ...items.map(image));
}

function containerElement({ components, accent_color }: NormalizedContainer, context: ComponentContext): HTMLElement {
  const color = accent_color === null ? null : `border-color: #${accent_color.toString(16).padStart(6, '0')}`;
  return element(
    'div',
    { class: 'layout-container', style: color },
    ...components.map((each) => componentElement(each, context)),
  );
}

/** An image from the local Discord; only its description or address for others, which the page never loads. */
function image({ media, description }: { readonly media: Media; readonly description: string | null }): HTMLElement {
  const path = localPath(media.url);
  if (path === null) return element('span', { class: 'layout-media' }, description ?? media.url);
  return element('img', {
    class: 'layout-media',
    src: path,
    alt: description ?? '',
    width: media.width,
    height: media.height,
  });
}
