import { type Html, html } from '../../../platform/web/html.ts';
import type { OwnerCall } from '../page-routes.ts';
import { noticeAt } from '../render-page.ts';

/** The heading of a section, with the result of its form below. */
export function sectionHead(id: string, title: string, { request, texts }: OwnerCall): Html {
  return html`<h2 id="${id}">${title}</h2>${noticeAt(id, request, texts)}`;
}
