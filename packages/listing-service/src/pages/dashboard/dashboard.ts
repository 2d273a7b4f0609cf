import { type Fragment, type Html, html } from '@tallyhook/platform/web/html';
import type { PageContent } from '@tallyhook/platform/web/page-frame';
import { pagePath } from '../../listing/listing.ts';
import { findRole } from '../../storage/listings/co-owners.ts';
import { PageError } from '../../texts/page-error.ts';
import type { ServiceTexts } from '../../texts/texts.ts';
import { isolated, listingIcon, stateNotice } from '../listing-parts.ts';
import {
  findPathListing,
  type OwnerCall,
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
  '': 'edit',
  '/statistics': 'statistics',
  '/deliveries': 'deliveries',
  '/reviews': 'reviews',
  '/owners': 'owners',
  '/delete': 'delete',
} as const;

type Below<Path extends string> = { id: string } & PathParameters<Path>;

/**
 * Adds the pages and forms of a listing's dashboard to a router. For others than its owners, they are not found, as those
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
    titleIn: (texts: ServiceTexts) => string,
    read: (call: OwnerCall<Below<Path>>) => Fragment | null | Promise<Fragment | null>,
  ): void {
    this.routes.memberPage<string, Below<Path>>(`/dashboard/:id${path}`, async (call) => {
      const owned = await this.#requireAccess(call);
      const content = await read(owned);
      const title = titleIn(owned.texts);
      return content === null ? null : { title, body: dashboardFrame(owned, path, title, content) };
    });
  }

  editPage(): void {
    this.routes.memberPage('/dashboard/:id', async (call) => this.#editPage(await this.#requireAccess(call), null));
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
      const owned = await this.#requireAccess(call);
      const { request, response, visitor, listing } = owned;
      if (action !== null) await this.#dependencies.admission.admit(request, action, visitor.userId);
      const result = await act(owned);
      if (typeof result === 'string') return `/dashboard/${listing.id}${result}`;
      if (result === null) return null;
      const { face } = this.#dependencies;
      renderServicePage(request, response, { face, visitor, ...(await this.#editPage(owned, result)) });
      return null;
    });
  }

  async #editPage(owned: OwnerCall, newSecret: NewSecret | null): Promise<PageContent> {
    const { kind, name } = owned.listing;
    const { text } = owned.texts;
    const sections = await editSections(this.#dependencies, owned, newSecret);
    const title = text('dashboard.editNamed', { name });
    return { title, body: dashboardFrame(owned, '', text(`dashboard.edit.${kind}`), sections) };
  }

  /** The owner or a co-owner. @throws PageError 404 */
  async #requireAccess<Parameters extends { id: string }>(call: PageCall<Parameters>): Promise<OwnerCall<Parameters>> {
    const { database } = this.#dependencies;
    const listing = await findPathListing(database, call.request.params.id);
    if (listing === null || listing.state === 'deleting') throw pageNotFound();
    const role = await findRole(database, listing, call.visitor.userId);
    if (role === null) throw pageNotFound();
    return { ...call, listing, role };
  }
}

/** For what co-owners may not do. @throws PageError 403 */
export function requireOwner({ role }: Pick<OwnerCall, 'role'>): void {
  if (role !== 'owner') throw new PageError(403, ({ text }) => text('errors.ownerOnly'));
}

/** A page with links to the tabs, of which the first has further pages. Bots have no reviews. */
function dashboardFrame({ listing, texts }: OwnerCall, path: string, title: string, body: Fragment): Html {
  const { text } = texts;
  const current = Object.hasOwn(tabs, path) ? path : '';
  const shown = Object.entries(tabs).filter(([tab]) => listing.kind === 'server' || tab !== '/reviews');
  return html`<header class="dashboard">${listingIcon(listing, 'small')}
<div><h1>${title}</h1><p class="quiet">${isolated(listing.name)} · <a href="${pagePath(listing)}">${text('dashboard.publicPage')}</a></p></div></header>
<nav class="tabs" aria-label="${text('frame.dashboard')}">${shown.map(
    ([tab, name]) =>
      html`<a href="/dashboard/${listing.id}${tab}"${tab === current && html` aria-current="page"`}>${text(`dashboard.tabs.${name}`)}</a>`,
  )}</nav>
${stateNotice(listing, texts)}
${body}`;
}
