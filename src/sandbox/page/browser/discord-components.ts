/**
 * Custom elements in Discord's style, from @skyra/discord-components-core: the ones that the page uses, and workarounds for controls
 * without keyboard access and for templates that add white space.
 */
import './discord-components-settings.ts';
import '@skyra/discord-components-core/discord-action-row.js';
import '@skyra/discord-components-core/discord-attachments.js';
import '@skyra/discord-components-core/discord-bold.js';
import '@skyra/discord-components-core/discord-button.js';
import '@skyra/discord-components-core/discord-code.js';
import '@skyra/discord-components-core/discord-command.js';
import '@skyra/discord-components-core/discord-embed.js';
import '@skyra/discord-components-core/discord-embed-description.js';
import '@skyra/discord-components-core/discord-embed-field.js';
import '@skyra/discord-components-core/discord-embed-fields.js';
import '@skyra/discord-components-core/discord-embed-footer.js';
import '@skyra/discord-components-core/discord-file-attachment.js';
import '@skyra/discord-components-core/discord-header.js';
import '@skyra/discord-components-core/discord-image-attachment.js';
import '@skyra/discord-components-core/discord-italic.js';
import '@skyra/discord-components-core/discord-link.js';
import '@skyra/discord-components-core/discord-mention.js';
import '@skyra/discord-components-core/discord-message.js';
import '@skyra/discord-components-core/discord-messages.js';
import '@skyra/discord-components-core/discord-quote.js';
import '@skyra/discord-components-core/discord-spoiler.js';
import '@skyra/discord-components-core/discord-subscript.js';
import '@skyra/discord-components-core/discord-time.js';
import '@skyra/discord-components-core/discord-underlined.js';

type LitComponent = HTMLElement & { readonly updateComplete: Promise<boolean> };

/*
 * Callbacks of lit's `ref`: each is called with the component when it was created, and without one when it is removed.
 */

/** Makes "Dismiss message" usable with the keyboard. */
export function makeDismissFocusable(message?: Element): void {
  afterRender(message, (root) => {
    const link = root.querySelector<HTMLElement>('.discord-message-ephemeral-link');
    if (link === null) return;
    link.tabIndex = 0;
    link.addEventListener('keydown', ({ key }) => {
      if (key === 'Enter') (message as HTMLElementTagNameMap['discord-message']).dismissMessageClicked();
    });
  });
}

/** Disables the inner button of a disabled `discord-button`, which is only styled as disabled. */
export function syncDisabled(button?: Element): void {
  afterRender(button, (root) => {
    const { disabled } = button as HTMLElementTagNameMap['discord-button'];
    root.querySelector('button')?.toggleAttribute('disabled', disabled);
  });
}

/** Removes the white space that the component's template adds around its content. */
export function trimText(component?: Element): void {
  afterRender(component, (root) => {
    const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) texts.currentNode.nodeValue = texts.currentNode.nodeValue?.trim() ?? '';
  });
}

/** Makes a spoiler usable with the keyboard, and hides its content from screen readers until it is revealed. */
export function makeSpoilerAccessible(component?: Element): void {
  if (component === undefined) return;
  const spoiler = component as HTMLElementTagNameMap['discord-spoiler'];
  const attributes = { role: 'button', tabindex: '0', 'aria-label': 'Spoiler, press to show' };
  for (const [name, value] of Object.entries(attributes)) spoiler.setAttribute(name, value);
  const reveal = () => {
    spoiler.activated = true;
    for (const name of Object.keys(attributes)) spoiler.removeAttribute(name);
  };
  spoiler.addEventListener('click', reveal);
  spoiler.addEventListener('keydown', (event) => {
    if (spoiler.activated || !['Enter', ' '].includes(event.key)) return;
    event.preventDefault();
    reveal();
  });
}

/** Focuses a control, which may be a component that has not rendered yet, or be inside one, where it has no box before. */
export async function focusOn(control: HTMLElement): Promise<void> {
  for (let element: Element | null = control; element !== null; element = element.parentElement) {
    if ('updateComplete' in element) await element.updateComplete;
  }
  const inner = control.shadowRoot?.querySelector<HTMLElement>('button, a');
  (inner ?? control).focus();
}

function afterRender(component: Element | undefined, change: (root: ShadowRoot) => void): void {
  void (component as LitComponent | undefined)?.updateComplete.then(() => {
    if (component?.shadowRoot) change(component.shadowRoot);
  });
}
