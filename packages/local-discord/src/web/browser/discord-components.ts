/**
 * Custom elements in Discord's style, from @skyra/discord-components-core: the ones that messages use, and workarounds for controls
 * without keyboard access and for templates that add white space.
 */
import './discord-components-settings.ts';
import '@skyra/discord-components-core/discord-action-row.js';
import '@skyra/discord-components-core/discord-attachments.js';
import { DiscordAuthorInfo } from '@skyra/discord-components-core/discord-author-info.js';
import '@skyra/discord-components-core/discord-bold.js';
import { DiscordButton } from '@skyra/discord-components-core/discord-button.js';
import { DiscordCode } from '@skyra/discord-components-core/discord-code.js';
import '@skyra/discord-components-core/discord-embed-description.js';
import { DiscordEmbedField } from '@skyra/discord-components-core/discord-embed-field.js';
import '@skyra/discord-components-core/discord-embed-fields.js';
import { DiscordEmbed } from '@skyra/discord-components-core/discord-embed.js';
import { DiscordEmbedFooter } from '@skyra/discord-components-core/discord-embed-footer.js';
import '@skyra/discord-components-core/discord-file-attachment.js';
import '@skyra/discord-components-core/discord-header.js';
import { DiscordImageAttachment } from '@skyra/discord-components-core/discord-image-attachment.js';
import '@skyra/discord-components-core/discord-italic.js';
import { DiscordLink } from '@skyra/discord-components-core/discord-link.js';
import '@skyra/discord-components-core/discord-mention.js';
import { DiscordMessage } from '@skyra/discord-components-core/discord-message.js';
import '@skyra/discord-components-core/discord-messages.js';
import '@skyra/discord-components-core/discord-quote.js';
import '@skyra/discord-components-core/discord-spoiler.js';
import { DiscordSubscript } from '@skyra/discord-components-core/discord-subscript.js';
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

interface StyledComponent {
  readonly elementStyles: (CSSStyleSheet | object)[];
}

/**
 * Adds colors and sizes of current Discord to the components, as the page's CSS variables for both color schemes. `!important` overrides their light theme, whose selectors are as specific as the dark ones. Must
 * run before the first component is created.
 */
export function styleComponents(): void {
  addStyles(
    DiscordMessage,
    `:host { padding-inline: 1rem; color: var(--text); }
    :host(:hover) { background: color-mix(in srgb, var(--deep) 14%, transparent); }
    :host([ephemeral]) { background: var(--whisper); }
    .discord-message-timestamp, .discord-message-edited, .discord-message-ephemeral { color: var(--muted) !important; }
    .discord-message-content { min-width: 0; line-height: 1.375; }
    .discord-message-ephemeral .discord-message-ephemeral-link { color: var(--link); }
    .discord-author-avatar { margin-top: 2px; }
    .discord-message-inner-center { align-items: start; }
    .discord-message-body-only-indent { flex: none; margin: 0.5rem 0 0 !important; }`,
  );
  addStyles(DiscordAuthorInfo, ':host .discord-author-username { color: var(--strong) !important; font-weight: 600; }');
  addStyles(
    DiscordEmbed,
    `:host { margin-block: 4px; color: var(--text); }
    .discord-embed-wrapper { border: 0 !important; background: var(--side) !important; }
    .discord-left-border { background: var(--deep); }
    .discord-embed-title, .discord-embed-author, .discord-embed-author a { color: var(--strong) !important; }
    .discord-embed-title a { color: var(--link) !important; }`,
  );
  addStyles(DiscordEmbedField, '.discord-field-title { color: var(--strong) !important; }');
  addStyles(DiscordEmbedFooter, ':host, .discord-footer-separator { color: var(--muted) !important; }');
  // Fits on narrow screens; the component gives its box a fixed size.
  addStyles(
    DiscordImageAttachment,
    `.discord-image-wrapper { max-width: 100%; height: auto !important; }
    img { display: block; max-width: 100%; height: auto; }`,
  );
  addStyles(DiscordLink, 'a { color: var(--link); }');
  // Discord separates a block of code from the text above it.
  addStyles(
    DiscordCode,
    `:host { background: none; }
    :host code { background: var(--code) !important; overflow-wrap: anywhere; }
    :host([multiline]) code { box-sizing: border-box; margin: 6px 0 0; border-color: var(--line) !important; }`,
  );
  addStyles(DiscordSubscript, 'small { color: var(--muted) !important; }');
  addStyles(
    DiscordButton,
    `:host > *:first-child { border-radius: 8px; }
    .secondary { background: var(--quiet-button); color: var(--quiet-text); }
    .secondary.hoverable:hover, a.secondary:hover { background: var(--quiet-hover); }
    .success { background: var(--good-button); }
    .destructive { background: var(--bad-button); }
    svg { margin-inline-start: 8px; }
    @media (max-width: 480px) { :host > *:first-child { min-width: 40px; padding-inline: 10px; } }`,
  );
}

/** Before the first such component is created. */
export function addStyles({ elementStyles }: StyledComponent, css: string): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  elementStyles.push(sheet);
}
