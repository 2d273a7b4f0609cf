import { type Html, html } from '@tallyhook/platform/web/html';
import type { Router } from 'express';
import { legalPages } from '../face/face.ts';
import type { ServiceTexts } from '../texts/texts.ts';
import { type PageDependencies, PageRoutes } from './page-routes.ts';

/** Imprint, privacy and terms, in the operator's words; privacy also without them. */
export function legalRoutes(dependencies: PageDependencies): Router {
  const { face } = dependencies;
  const routes = new PageRoutes(dependencies);
  for (const name of legalPages(face)) {
    const text = face[name];
    routes.page(`/${name}`, ({ texts }) => {
      const title = texts.text(`frame.${name}`);
      const content = text === undefined ? storedData(texts, dependencies) : textHtml(text);
      return { title, body: html`<article class="text"><h1>${title}</h1>${content}</article>` };
    });
  }
  return routes.router;
}

function storedData({ fill, text }: ServiceTexts, { face, discord, challenge }: PageDependencies): Html {
  const items = [
    ...[
      text('privacy.account'),
      text('privacy.votes'),
      text('privacy.reviews'),
      text('privacy.reports'),
      text('privacy.listings'),
      text('privacy.coOwners'),
    ],
    ...(discord === null ? [] : [text('privacy.servers'), text('privacy.discord')]),
    ...[text('privacy.moderation'), text('privacy.addresses'), text('privacy.cookies')],
    // A challenge of the operator's own may use another site.
    ...(challenge === null || challenge.name === 'proof-of-work' ? [text('privacy.thirdParties')] : []),
  ];
  return html`<p class="lead">${text('privacy.lead')}</p>
<ul>${items.map((item) => html`<li>${item}</li>`)}</ul>
<p>${fill('privacy.rights', { link: html`<a href="/your-data">${text('frame.yourData')}</a>` })} ${text('privacy.remains')}</p>
${face.imprint !== undefined && html`<p>${fill('privacy.operator', { link: html`<a href="/imprint">${text('frame.imprint')}</a>` })}</p>`}`;
}

/** The address of a page or of mail, without the sign that ends its sentence. */
const address =
  /(https?:\/\/[^\s<>]{1,500}(?<![.,:;!?"')\]])|(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8})/i;

/** A plain text as a part of a page: paragraphs between empty lines, `# ` before a heading, and links for addresses. */
export function textHtml(text: string): Html {
  const blocks = text
    .replaceAll('\r', '')
    .trim()
    .split(/\n(?:[ \t]*\n)+/);
  return html`${blocks.map((block) => {
    const [, heading, rest = block] = /^#{1,6} (.+)\n?([\s\S]*)$/.exec(block) ?? [];
    return html`${heading !== undefined && html`<h2>${heading}</h2>`}${rest !== '' && html`<p>${withLinks(rest)}</p>`}`;
  })}`;
}

function withLinks(text: string): Html {
  return html`${text
    .split(address)
    .map((part, index) =>
      index % 2 === 0 ? part : html`<a href="${/^https?:/i.test(part) ? part : `mailto:${part}`}">${part}</a>`,
    )}`;
}
