import { type Html, html } from './html.ts';

/** How many colours pictures have. */
const hues = 6;

/**
 * A small picture of a name with its first letters; a colour that the id decides. Empty without a name.
 * @param picture the address of a picture, which covers the letters as soon as it is loaded
 */
export function initials(name: string | null, id: string, picture: string | null = null): Html {
  const letters = [...(name ?? '').matchAll(/(?<=^|[\s_-])[\p{L}\p{N}]/gu)].slice(0, 2).join('').toLocaleUpperCase();
  const hue = Array.from(id, (each) => each.codePointAt(0) ?? 0).reduce((sum, code) => sum + code, 0) % hues;
  return html`<span class="avatar hue-${hue}" aria-hidden="true">${letters}${picture !== null && html`<img src="${picture}" alt="" loading="lazy">`}</span>`;
}
