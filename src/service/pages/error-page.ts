import { type Html, html } from '../../web/html.ts';

/** @param back where the visitor came from, a path of this service. */
export function errorPage(title: string, message: string, back: string): Html {
  return html`<h1>${title}</h1><p>${message}</p><p><a href="${back}">Go back</a></p>`;
}
