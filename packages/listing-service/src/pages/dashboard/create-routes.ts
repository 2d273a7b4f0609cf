import { formTokenField } from '@tallyhook/platform/web/form-token';
import { type Html, html } from '@tallyhook/platform/web/html';
import { z } from 'zod';
import {
  createOwnersListing,
  defaultServerFacts,
  maxListingsOfOwner,
  takeOverListing,
} from '../../actions/create-listing.ts';
import type { Listing, ServiceListingKind } from '../../listing/listing.ts';
import type { Database } from '../../storage/database.ts';
import { ownersOfServers } from '../../storage/listings/listings.ts';
import { findProvenGuild, provenGuilds } from '../../storage/members/proven-guilds.ts';
import { PageError } from '../../texts/page-error.ts';
import type { ServiceTexts } from '../../texts/texts.ts';
import { newListingForm, provenServerForm, readForm } from '../forms.ts';
import { isolated } from '../listing-parts.ts';
import { type PageDependencies, type PageRoutes, pageNotFound } from '../page-routes.ts';
import type { Visitor } from '../session.ts';

/** The page and the forms that add a server or a bot. */
export function addCreateRoutes(routes: PageRoutes, dependencies: PageDependencies): void {
  const { database, actAsMembers, approvesBots, admission, discord } = dependencies;

  routes.memberPage('/dashboard/new', async ({ visitor, now, texts }) => {
    const servers = discord && (await findProvenServers(database, visitor, now));
    return { title: texts.text('dashboard.add'), body: createPage({ visitor, servers, texts }, dependencies) };
  });

  routes.form('/dashboard/new/server', async ({ request, visitor, now }) => {
    const { body } = request;
    if (discord === null && !actAsMembers) throw pageNotFound();
    const { facts, ...fields } = isOfAnyServer(body)
      ? anyServer(body)
      : await provenServer(database, body, visitor, now);
    const listing = { ...fields, ...newListing(visitor, now), kind: 'server' as const, facts };
    await admission.admit(request, 'create', visitor.userId);
    return create(listing, 'published');
  });

  routes.form('/dashboard/new/take-over', async ({ request, visitor: { userId }, now }) => {
    const { id } = readForm(provenServerForm, request.body);
    await admission.admit(request, 'create', userId);
    if (!(await takeOverListing(database, id, userId, now))) throw notConfirmed();
    return `/dashboard/${id}?notice=taken-over`;
  });

  routes.form('/dashboard/new/bot', async ({ request, visitor, now }) => {
    const fields = readForm(newListingForm, request.body);
    const listing = { ...fields, ...newListing(visitor, now), kind: 'bot' as const, facts: { servers: 0, shards: 1 } };
    await admission.admit(request, 'create', visitor.userId);
    return create(listing, approvesBots ? 'pending' : 'published');
  });

  /** True if the form is not that of a proven server, which has no name. */
  function isOfAnyServer(body: unknown): boolean {
    return actAsMembers && (discord === null || z.object({ name: z.string() }).safeParse(body).success);
  }

  async function create(listing: Listing, state: 'published' | 'pending'): Promise<string> {
    const outcome = await createOwnersListing(database, listing, state);
    if (outcome === 'listed') throw new PageError(409, ({ text }) => text(`errors.listed.${listing.kind}`));
    if (outcome === 'too-many') {
      const max = maxListingsOfOwner;
      throw new PageError(409, ({ number, text }) => text('errors.tooManyListings', { max: number(max) }));
    }
    return `/dashboard/${listing.id}?notice=${outcome}`;
  }
}

function notConfirmed(): PageError {
  return new PageError(403, ({ text }) => text('errors.notConfirmed'));
}

function newListing({ userId }: Visitor, now: number) {
  return { tags: [], ownerId: userId, createdAt: now };
}

function anyServer(body: unknown) {
  return { ...readForm(newListingForm, body), facts: defaultServerFacts };
}

/** Name and members are those that Discord knows. */
async function provenServer(database: Database, body: unknown, { userId }: Visitor, now: number) {
  const { id } = readForm(provenServerForm, body);
  const guild = await findProvenGuild(database, userId, id, now);
  if (guild === null) throw notConfirmed();
  const { name } = readForm(newListingForm, { id, name: guild.name });
  const facts = { ...defaultServerFacts, members: guild.members ?? 0, online: guild.online ?? 0 };
  return { id, name, description: '', facts };
}

/** A server that the visitor has proven to manage, and whose listing it has; null if it is not listed. */
type ProvenServer = Awaited<ReturnType<typeof findProvenServers>>[number];

async function findProvenServers(database: Database, { userId }: Visitor, now: number) {
  const guilds = await provenGuilds(database, userId, now);
  const ids = guilds.map(({ id }) => id);
  const owners = await ownersOfServers(database, ids);
  return guilds.map((guild) => {
    const owner = owners.get(guild.id);
    return { guild, listedBy: owner === undefined ? null : owner === userId ? 'visitor' : 'another' } as const;
  });
}

interface CreateView {
  readonly visitor: Visitor;
  /** The servers that the visitor has proven to manage; null if nobody can prove it. */
  readonly servers: readonly ProvenServer[] | null;
  readonly texts: ServiceTexts;
}

/**
 * The forms that add a server or a bot. Where visitors may act as any member, nobody has to prove anything, so that
 * everything can be tried.
 */
function createPage(view: CreateView, { actAsMembers, approvesBots }: PageDependencies): Html {
  const { servers } = view;
  const { text } = view.texts;
  return html`<h1>${text('dashboard.add')}</h1>
<section class="card" aria-labelledby="add-server"><h2 id="add-server">${text('create.addServer')}</h2>
${servers && provenServers(servers, view)}
${actAsMembers && servers && html`<h3>${text('create.anyServer')}</h3>`}
${actAsMembers && idForm('server', view)}
${!servers && !actAsMembers && html`<p>${text('create.askOperator')}</p>`}</section>
<section class="card" aria-labelledby="add-bot"><h2 id="add-bot">${text('create.addBot')}</h2>
${approvesBots && html`<p class="quiet">${text('create.approval')}</p>`}
${idForm('bot', view)}</section>`;
}

function idForm(kind: ServiceListingKind, { visitor, texts: { text } }: CreateView): Html {
  return html`<form class="stack" method="post" action="/dashboard/new/${kind}">${formTokenField(visitor)}
  <label>${text(`create.id.${kind}`)} <input name="id" required inputmode="numeric" pattern="[0-9]{1,20}" maxlength="20" autocomplete="off"></label>
  <label>${text('create.name')} <input name="name" required maxlength="100" dir="auto"></label>
  <label>${text('create.description')} <textarea name="description" maxlength="2000" rows="3" dir="auto"></textarea></label>
  <button>${text(`create.submit.${kind}`)}</button></form>`;
}

/** The servers that Discord has confirmed, each with what the visitor can do: add, edit or take over its listing. */
function provenServers(servers: readonly ProvenServer[], view: CreateView): Html {
  const proveLink = (text: string) =>
    html`<a class="button second" href="/sign-in/discord/servers?next=/dashboard/new">${text}</a>`;
  if (servers.length === 0) {
    return html`<p>${view.texts.text('create.proveHint')}</p>
<p>${proveLink(view.texts.text('create.showServers'))}</p>`;
  }
  const unlisted = servers.filter(({ listedBy }) => listedBy === null);
  return html`${unlisted.length > 0 && addForm(unlisted, view)}
${unlisted.length === 0 && html`<p class="empty">${view.texts.text('create.allListed')}</p>`}
${listedServers(servers, view)}
<p class="line">${proveLink(view.texts.text('create.readAgain'))}</p>`;
}

function addForm(servers: readonly ProvenServer[], { visitor, texts: { text } }: CreateView): Html {
  return html`<form class="stack" method="post" action="/dashboard/new/server">${formTokenField(visitor)}
  <label>${text('create.server')} <select name="id" required>${servers.map(({ guild }) => html`<option value="${guild.id}" dir="auto">${guild.name}</option>`)}</select></label>
  <button>${text('create.submit.server')}</button></form>`;
}

function listedServers(servers: readonly ProvenServer[], view: CreateView): Html | null {
  const listed = servers.filter(({ listedBy }) => listedBy !== null);
  if (listed.length === 0) return null;
  return html`<h3>${view.texts.text('create.alreadyListed')}</h3>
<ul>${listed.map((server) => html`<li>${listedServer(server, view)}</li>`)}</ul>`;
}

function listedServer({ guild, listedBy }: ProvenServer, { visitor, texts: { fill, text } }: CreateView): Html {
  if (listedBy === 'visitor') return html`<a href="/dashboard/${guild.id}">${isolated(guild.name)}</a>`;
  const listed = fill('create.listedByAnother', { name: isolated(guild.name) });
  if (!guild.isOwner) return html`${listed}. ${text('create.ownerOnly')}`;
  return html`<details><summary>${listed}</summary>
<p>${text('create.takeOverHint')}</p>
<form method="post" action="/dashboard/new/take-over">${formTokenField(visitor)}<input type="hidden" name="id" value="${guild.id}">
<button class="danger-solid">${text('create.takeOver')}</button></form></details>`;
}
