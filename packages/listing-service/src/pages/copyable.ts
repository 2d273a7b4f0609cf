import { type Html, html } from '@tallyhook/platform/web/html';
import type { ServiceTexts } from '../texts/texts.ts';

export const copyScriptPath = '/assets/copy.js';
/** For pages with {@link copyable} texts. */
export const copyScript = html`<script src="${copyScriptPath}" defer></script>`;

/** A text with a button that copies it. Without JavaScript there is no button. */
export function copyable(text: string, texts: ServiceTexts): Html {
  return html`<span class="copyable"><code>${text}</code> <button type="button" class="second" aria-live="polite" data-copied="${texts.text('frame.copied')}" hidden>${texts.text('frame.copy')}</button></span>`;
}
