/** Colors and sizes of current Discord for the components, as the page's CSS variables for both color schemes. */
import { DiscordAuthorInfo } from '@skyra/discord-components-core/discord-author-info.js';
import { DiscordButton } from '@skyra/discord-components-core/discord-button.js';
import { DiscordCode } from '@skyra/discord-components-core/discord-code.js';
import { DiscordCommand } from '@skyra/discord-components-core/discord-command.js';
import { DiscordEmbed } from '@skyra/discord-components-core/discord-embed.js';
import { DiscordEmbedField } from '@skyra/discord-components-core/discord-embed-field.js';
import { DiscordEmbedFooter } from '@skyra/discord-components-core/discord-embed-footer.js';
import { DiscordImageAttachment } from '@skyra/discord-components-core/discord-image-attachment.js';
import { DiscordLink } from '@skyra/discord-components-core/discord-link.js';
import { DiscordMessage } from '@skyra/discord-components-core/discord-message.js';
import { DiscordSubscript } from '@skyra/discord-components-core/discord-subscript.js';

interface StyledComponent {
  readonly elementStyles: (CSSStyleSheet | object)[];
}

/**
 * Adds styles to the components. `!important` overrides their light theme, whose selectors are as specific as the dark ones. Must
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
    :host code { background: var(--code) !important; }
    :host([multiline]) code { box-sizing: border-box; margin: 6px 0 0; border-color: var(--line) !important; }`,
  );
  addStyles(
    DiscordCommand,
    `:host { color: var(--muted); }
    .discord-replied-message-username { color: var(--text) !important; opacity: 1; }
    :host .discord-slash-command-name { background: var(--mention-ground); color: var(--mention-text) !important; }`,
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

function addStyles({ elementStyles }: StyledComponent, css: string): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  elementStyles.push(sheet);
}
