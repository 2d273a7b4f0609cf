import type { Router } from 'express';
import { type Html, html } from '../../platform/web/html.ts';
import type { ServiceTexts } from '../texts/texts.ts';
import { type PageDependencies, PageRoutes } from './page-routes.ts';
import { textHtml } from './plain-text.ts';

/** Imprint, privacy and terms, in the operator's words; privacy also without them. */
export function legalRoutes(dependencies: PageDependencies): Router {
  const { face } = dependencies;
  const routes = new PageRoutes(dependencies);
  for (const name of ['imprint', 'privacy', 'terms'] as const) {
    const text = face[name];
    if (text === undefined && name !== 'privacy') continue;
    routes.page(`/${name}`, ({ texts }) => {
      const title = texts.frame[name];
      const content = text === undefined ? storedData(texts, dependencies) : textHtml(text);
      return { title, body: html`<article class="text"><h1>${title}</h1>${content}</article>` };
    });
  }
  return routes.router;
}

/** What the service stores about visitors. */
function storedData({ privacy, frame, fill }: ServiceTexts, { face, discord, challenge }: PageDependencies): Html {
  const items = [
    ...[privacy.account, privacy.votes, privacy.reviews, privacy.reports, privacy.listings],
    ...(discord === null ? [] : [privacy.servers, privacy.discord]),
    ...[privacy.moderation, privacy.addresses, privacy.cookies],
    // A challenge of the operator's own may use another site.
    ...(challenge === null || challenge.name === 'proof-of-work' ? [privacy.thirdParties] : []),
  ];
  return html`<p class="lead">${privacy.lead}</p>
<ul>${items.map((item) => html`<li>${item}</li>`)}</ul>
<p>${fill(privacy.rights, { link: html`<a href="/your-data">${frame.yourData}</a>` })} ${privacy.remains}</p>
${face.imprint !== undefined && html`<p>${fill(privacy.operator, { link: html`<a href="/imprint">${frame.imprint}</a>` })}</p>`}`;
}
