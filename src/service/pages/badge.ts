import { type Html, html } from '../../web/html.ts';

/** A listing's picture: the first character of its name, as readers count characters. */
export function badge(name: string, size: 'large' | 'small'): Html {
  const [first] = new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(name);
  return html`<span class="badge ${size}" aria-hidden="true">${first?.segment ?? '?'}</span>`;
}
