import type { Request } from 'express';
import { type Fragment, type Html, html } from '../../../platform/web/html.ts';
import type { PageContent } from '../../../platform/web/page-frame.ts';
import { pagePath } from '../../listing/listing.ts';
import type { StoredListing } from '../../storage/listings/listings.ts';
import { isolated, listingIcon, stateNotice } from '../listing-parts.ts';
import {
  findPathListing,
  type PageCall,
  type PageDependencies,
  PageRoutes,
  type PathParameters,
  pageNotFound,
} from '../page-routes.ts';
import { renderServicePage } from '../render-page.ts';
import { editSections, type NewSecret } from './edit-page.ts';

/** The pages of a listing's dashboard, by the end of their paths. */
const tabs = {
  '': 'Edit',
  '/statistics': 'Statistics',
  '/deliveries': 'Deliveries',
  '/reviews': 'Reviews',
  '/delete': 'Export and delete',
} as const;

/** A request of the visitor who owns the listing. */
export interface OwnerCall<Parameters extends Request['params'] = Request['params']> extends PageCall<Parameters> {
  readonly listing: StoredListing;
}

/** The parameters of a path below the dashboard of a listing. */
type Below<Path extends string> = { id: string } & PathParameters<Path>;

/**
 * Adds the pages and forms of a listing's dashboard to a router. For others than the owner, they are not found, as those
 * of an unknown listing: it may be one that nobody else may know of. Paths are below that of the listing.
 */
export class Dashboard {
  readonly routes: PageRoutes;
  readonly #dependencies: PageDependencies;

  constructor(dependencies: PageDependencies) {
    this.routes = new PageRoutes(dependencies);
    this.#dependencies = dependencies;
  }

  /** A page of the dashboard. @param read returns null if it has sent the response */
  page<Path extends string>(
    path: Path,
    { title, heading = title }: { readonly title: string; readonly heading?: string },
    read: (call: OwnerCall<Below<Path>>) => Fragment | null | Promise<Fragment | null>,
  ): void {
    this.routes.memberPage<string, Below<Path>>(`/dashboard/:id${path}`, async (call) => {
      const owned = await this.#requireOwner(call);
      const content = await read(owned);
      return content === null ? null : { title, body: dashboardFrame(owned.listing, path, heading, content) };
    });
  }

  /** The page on which the owner edits the listing. */
  editPage(): void {
    this.routes.memberPage('/dashboard/:id', async (call) => this.#editPage(await this.#requireOwner(call), null));
  }

  /**
   * A form of the dashboard.
   * @param action is counted, and rejected for banned members; null if the form only takes something away
   * @param act returns where to go from the listing's dashboard: a path below it, a query or a fragment. Or it returns a
   * new secret, which the response shows, since a redirect would put it into a URL; or null if it has sent the response
   */
  form<Path extends string>(
    path: Path,
    action: 'edit' | 'send' | null,
    act: (call: OwnerCall<Below<Path>>) => Promise<string | NewSecret | null>,
  ): void {
    this.routes.form<string, Below<Path>>(`/dashboard/:id${path}`, async (call) => {
      const owned = await this.#requireOwner(call);
      const { request, response, visitor, listing } = owned;
      if (action !== null) await this.#dependencies.admission.admit(request, action, visitor.userId);
      const result = await act(owned);
      if (typeof result === 'string') return `/dashboard/${listing.id}${result}`;
      if (result === null) return null;
      renderServicePage(request, response, { visitor, ...(await this.#editPage(owned, result)) });
      return null;
    });
  }

  async #editPage(owned: OwnerCall, newSecret: NewSecret | null): Promise<PageContent> {
    const { listing } = owned;
    const sections = await editSections(this.#dependencies.database, owned, newSecret);
    return { title: `Edit ${listing.name}`, body: dashboardFrame(listing, '', `Edit ${listing.kind}`, sections) };
  }

  /** @throws HttpError 404 */
  async #requireOwner<Parameters extends { id: string }>(call: PageCall<Parameters>): Promise<OwnerCall<Parameters>> {
    const listing = await findPathListing(this.#dependencies.database, call.request.params.id);
    if (listing?.ownerId !== call.visitor.userId || listing.state === 'deleting') throw pageNotFound();
    return { ...call, listing };
  }
}

/** A page with links to the tabs, of which the first has further pages. Bots have no reviews. */
function dashboardFrame(listing: StoredListing, path: string, title: string, body: Fragment): Html {
  const current = Object.hasOwn(tabs, path) ? path : '';
  const shown = Object.entries(tabs).filter(([tab]) => listing.kind === 'server' || tab !== '/reviews');
  return html`<header class="dashboard">${listingIcon(listing, 'small')}
<div><h1>${title}</h1><p class="quiet">${isolated(listing.name)} · <a href="${pagePath(listing)}">Public page</a></p></div></header>
<nav class="tabs" aria-label="Dashboard">${shown.map(
    ([tab, text]) =>
      html`<a href="/dashboard/${listing.id}${tab}"${tab === current && html` aria-current="page"`}>${text}</a>`,
  )}</nav>
${stateNotice(listing)}
${body}`;
}
