import type {
  NormalizedComponent,
  NormalizedContainer,
  NormalizedControl,
  NormalizedGallery,
  NormalizedRow,
  NormalizedSection,
  Shown,
} from '../../discord/normalized-components.ts';
import { fileCard, fitPicture, localPath } from './attachments.ts';
import { syncDisabled } from './discord-components.ts';
import { element } from './element.ts';
import { renderMarkdown } from './render-markdown.ts';
import { type ComponentContext, selectElement } from './select.ts';

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
      return element('hr', {
        class: component.divider ? 'layout-separator' : 'layout-space',
        'data-spacing': component.spacing,
      });
    case 17:
      return containerElement(component, context);
  }
}

function sectionElement({ components, accessory }: NormalizedSection, context: ComponentContext): HTMLElement {
  const texts = components.map((each) => componentElement(each, context));
  const beside = accessory.type === 11 ? image(accessory) : accessoryButton(accessory, context);
  return element('div', { class: 'layout-section' }, element('div', { class: 'layout-texts' }, ...texts), beside);
}

/** The button component must be in a row. */
function accessoryButton(button: NormalizedControl, context: ComponentContext): HTMLElement {
  const attributes = { class: 'layout-accessory', 'aria-busy': context.isBusy };
  return element('discord-action-row', attributes, controlElement(button, context));
}

function galleryElement({ items }: NormalizedGallery): HTMLElement {
  return element('div', { class: 'layout-gallery', 'data-count': items.length }, ...items.map(image));
}

function containerElement(container: NormalizedContainer, context: ComponentContext): HTMLElement {
  const { components, accent_color, spoiler } = container;
  const color = accent_color === null ? null : `--accent: #${accent_color.toString(16).padStart(6, '0')}`;
  const node = element(
    'div',
    { class: 'layout-container', style: color },
    ...components.map((each) => componentElement(each, context)),
  );
  return spoiler ? hidden(node) : node;
}

/** Blurs a part until it is pressed. */
function hidden(part: HTMLElement): HTMLElement {
  part.inert = true;
  const cover = element('div', { class: 'layout-spoiler' }, part);
  const button = element('button', { type: 'button', 'aria-label': 'Spoiler, press to show' }, 'Spoiler');
  button.addEventListener('click', () => {
    part.inert = false;
    cover.replaceWith(part);
  });
  cover.append(button);
  return cover;
}

/** An image from the local Discord; only its description or address for others, which the page never loads. */
function image(shown: Shown): HTMLElement {
  return shown.spoiler ? hidden(imageElement(shown)) : imageElement(shown);
}

function imageElement({ media, description }: Shown): HTMLElement {
  const path = localPath(media.url);
  if (path === null) return element('span', { class: 'layout-media' }, description ?? media.url);
  const { width, height } = media;
  const box = width && height ? fitPicture({ width, height }) : null;
  return element('img', {
    class: 'layout-media',
    src: path,
    alt: description ?? '',
    width,
    height,
    style: box && `--width: ${box.width}px; --ratio: ${box.width} / ${box.height}`,
  });
}

/** Discord's "Button Styles" as `discord-button` types. */
const buttonStyles: Readonly<Record<number, string>> = { 1: 'primary', 2: 'secondary', 3: 'success', 4: 'destructive' };

/** A row of buttons, or of one select. */
function rowElement({ components }: NormalizedRow, context: ComponentContext): HTMLElement {
  return element(
    'discord-action-row',
    { slot: 'components', 'aria-busy': context.isBusy },
    ...components.map((component) => controlElement(component, context)),
  );
}

function controlElement(component: NormalizedControl, context: ComponentContext): HTMLElement {
  return component.type === 2 ? button(component, context) : selectElement(component, context);
}

function button(
  component: Extract<NormalizedControl, { type: 2 }>,
  { isBusy, useComponent: press }: ComponentContext,
): HTMLElement {
  const label = [component.emoji?.name, component.label].filter(Boolean).join(' ');
  const node = element(
    'discord-button',
    {
      type: buttonStyles[component.style] ?? 'secondary',
      url: component.url,
      disabled: Boolean(component.disabled),
      'data-custom-id': component.custom_id,
      onclick: () => {
        if (component.custom_id && !component.disabled && !isBusy) press(component.custom_id);
      },
    },
    label,
  );
  return syncDisabled(node);
}
