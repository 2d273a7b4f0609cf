import { Router } from 'express';
import { z } from 'zod';
import { formTokenField } from '../../../platform/web/form-token.ts';
import { type Html, html } from '../../../platform/web/html.ts';
import { HttpError } from '../../../platform/web/http-error.ts';
import {
  createOwnersListing,
  defaultServerFacts,
  maxListingsOfOwner,
  takeOverListing,
} from '../../actions/create-listing.ts';
import type { CommonListing, Listing, ServiceListingKind } from '../../listing/listing.ts';
import { ownersOfServers } from '../../storage/listings/listings.ts';
import { findProvenGuild, type ProvenGuild, provenGuilds } from '../../storage/members/proven-guilds.ts';
import type { PageDependencies } from '../dependencies.ts';
import { newListingForm, provenServerForm, readForm } from '../forms.ts';
import { isolated } from '../listing-parts.ts';
import { pageNotFound, renderServicePage, requireVisitor } from '../render-page.ts';
import type { Visitor } from '../session.ts';

const notConfirmed = 'Discord did not confirm within the last hour that this server is yours. Try again.';

/** The page and the forms that add a server or a bot. */
export function createRoutes(dependencies: PageDependencies): Router {
  const { sending, sessions, actAsMembers, approvesBots, admission, discord } = dependencies;
  const { database, clock } = sending;
  const router = Router();

  router.get('/dashboard/new', async (request, response) => {
    const now = clock.now();
    const visitor = await sessions.visitor(request, now);
    if (!visitor) return response.redirect(303, '/sign-in?next=/dashboard/new');
    const body = createPage({
      visitor,
      provenServers: discord && (await findProvenServers(visitor, now)),
      // Where visitors may act as any member, nobody has to prove anything, so that everything can be tried.
      acceptsAnyServer: actAsMembers,
      approvesBots,
    });
    renderServicePage(request, response, { title: 'Add a server or bot', visitor, body });
  });

  router.post('/dashboard/new/server', async (request, response) => {
    const visitor = await requireVisitor(dependencies, request);
    if (discord === null && !actAsMembers) throw pageNotFound();
    const { facts, ...fields } = isOfAnyServer(request.body)
      ? anyServer(request.body)
      : await provenServer(request.body, visitor);
    const listing = { ...newListing(fields, visitor), kind: 'server' as const, facts };
    await admission.admit(request, 'create', visitor.userId);
    const notice = await createOrThrow(listing, 'published');
    response.redirect(303, `/dashboard/${listing.id}?notice=${notice}`);
  });

  router.post('/dashboard/new/take-over', async (request, response) => {
    const { userId } = await requireVisitor(dependencies, request);
    const { id } = readForm(provenServerForm, request.body);
    await admission.admit(request, 'create', userId);
    if (!(await takeOverListing(database, id, userId, clock.now()))) throw new HttpError(403, notConfirmed);
    response.redirect(303, `/dashboard/${id}?notice=taken-over`);
  });

  router.post('/dashboard/new/bot', async (request, response) => {
    const visitor = await requireVisitor(dependencies, request);
    const fields = readForm(newListingForm, request.body);
    const listing = { ...newListing(fields, visitor), kind: 'bot' as const, facts: { servers: 0, shards: 1 } };
    await admission.admit(request, 'create', visitor.userId);
    const notice = await createOrThrow(listing, approvesBots ? 'pending' : 'published');
    response.redirect(303, `/dashboard/${listing.id}?notice=${notice}`);
  });

  function newListing(
    { id, name, description }: Pick<CommonListing, 'id' | 'name' | 'description'>,
    { userId }: Visitor,
  ): CommonListing {
    return { id, name, description, tags: [], ownerId: userId, createdAt: clock.now() };
  }

  async function findProvenServers({ userId }: Visitor, now: number): Promise<ProvenServer[]> {
    const guilds = await provenGuilds(database, userId, now);
    const owners = await ownersOfServers(
      database,
      guilds.map(({ id }) => id),
    );
    return guilds.map((guild) => {
      const owner = owners.get(guild.id);
      return { guild, listedBy: owner === undefined ? null : owner === userId ? 'visitor' : 'another' };
    });
  }

  /** Whether the form is not that of a proven server, which has no name. */
  function isOfAnyServer(body: unknown): boolean {
    return actAsMembers && (discord === null || z.object({ name: z.string() }).safeParse(body).success);
  }

  function anyServer(body: unknown) {
    return { ...readForm(newListingForm, body), facts: defaultServerFacts };
  }

  /** Name and members are those that Discord knows. */
  async function provenServer(body: unknown, { userId }: Visitor) {
    const { id } = readForm(provenServerForm, body);
    const guild = await findProvenGuild(database, userId, id, clock.now());
    if (guild === null) throw new HttpError(403, notConfirmed);
    const { name } = readForm(newListingForm, { id, name: guild.name });
    const facts = { ...defaultServerFacts, members: guild.members ?? 0, online: guild.online ?? 0 };
    return { id, name, description: '', facts };
  }

  async function createOrThrow(
    listing: Listing,
    state: 'published' | 'pending',
  ): Promise<'created' | 'created-pending'> {
    const outcome = await createOwnersListing(database, listing, state);
    if (outcome === 'listed') throw new HttpError(409, `This ${listing.kind} is already listed here.`);
    if (outcome === 'too-many') throw new HttpError(409, `A member can have ${maxListingsOfOwner} listings.`);
    return outcome;
  }

  return router;
}

interface CreateView {
  readonly visitor: Visitor;
  /** The servers that the visitor has proven to manage; null if nobody can prove it. */
  readonly provenServers: readonly ProvenServer[] | null;
  /** Whether the visitor may add any server by its id. */
  readonly acceptsAnyServer: boolean;
  /** Whether the operator approves new bots. */
  readonly approvesBots: boolean;
}

/** The forms that add a server or a bot. */
function createPage(view: CreateView): Html {
  const { visitor, acceptsAnyServer, approvesBots } = view;
  return html`<h1>Add a server or bot</h1>
<section class="card" aria-labelledby="add-server"><h2 id="add-server">Add a server</h2>
${view.provenServers && provenServers(view.provenServers, visitor)}
${acceptsAnyServer && view.provenServers && html`<h3>Any server, for testing</h3>`}
${acceptsAnyServer && idForm('server', visitor)}
${!view.provenServers && !acceptsAnyServer && html`<p>Ask the operator of this service to add your server.</p>`}</section>
<section class="card" aria-labelledby="add-bot"><h2 id="add-bot">Add a bot</h2>
${approvesBots && html`<p class="quiet">The operator approves each bot before others see it.</p>`}
${idForm('bot', visitor)}</section>`;
}

function idForm(kind: ServiceListingKind, visitor: Visitor): Html {
  return html`<form class="stack" method="post" action="/dashboard/new/${kind}">${formTokenField(visitor)}
  <label>Discord id of the ${kind} <input name="id" required inputmode="numeric" pattern="[0-9]{1,20}" maxlength="20" autocomplete="off"></label>
  <label>Name <input name="name" required maxlength="100" dir="auto"></label>
  <label>Description <textarea name="description" maxlength="2000" rows="3" dir="auto"></textarea></label>
  <button>Add ${kind}</button></form>`;
}

/** A server that the visitor has proven to manage, and whose listing it has; null if it is not listed. */
interface ProvenServer {
  readonly guild: ProvenGuild;
  readonly listedBy: 'visitor' | 'another' | null;
}

/** The servers that Discord has confirmed, each with what the visitor can do: add, edit or take over its listing. */
function provenServers(servers: readonly ProvenServer[], visitor: Visitor): Html {
  const proveLink = (text: string) =>
    html`<a class="button second" href="/sign-in/discord/servers?next=/dashboard/new">${text}</a>`;
  if (servers.length === 0) {
    return html`<p>Discord tells this service which servers you own or manage, after you allow it. They are forgotten after an hour.</p>
<p>${proveLink('Show my servers')}</p>`;
  }
  const unlisted = servers.filter(({ listedBy }) => listedBy === null);
  return html`${unlisted.length > 0 && addForm(unlisted, visitor)}
${unlisted.length === 0 && html`<p class="empty">All of your servers are listed here.</p>`}
${listedServers(servers, visitor)}
<p class="line">${proveLink('Read my servers again')}</p>`;
}

function addForm(servers: readonly ProvenServer[], visitor: Visitor): Html {
  return html`<form class="stack" method="post" action="/dashboard/new/server">${formTokenField(visitor)}
  <label>Server <select name="id" required>${servers.map(({ guild }) => html`<option value="${guild.id}" dir="auto">${guild.name}</option>`)}</select></label>
  <button>Add server</button></form>`;
}

function listedServers(servers: readonly ProvenServer[], visitor: Visitor): Html | null {
  const listed = servers.filter(({ listedBy }) => listedBy !== null);
  if (listed.length === 0) return null;
  return html`<h3>Already listed</h3>
<ul>${listed.map((server) => html`<li>${listedServer(server, visitor)}</li>`)}</ul>`;
}

function listedServer({ guild, listedBy }: ProvenServer, visitor: Visitor): Html {
  if (listedBy === 'visitor') return html`<a href="/dashboard/${guild.id}">${isolated(guild.name)}</a>`;
  if (!guild.isOwner) {
    return html`${isolated(guild.name)}: listed by another member. Only the owner of the server can take over its listing.`;
  }
  return html`<details><summary>${isolated(guild.name)}: listed by another member</summary>
<p>You own this server, so you can take over its listing with its votes and reviews. Its API keys are revoked and its
webhooks removed, because the member who has listed it knows them.</p>
<form method="post" action="/dashboard/new/take-over">${formTokenField(visitor)}<input type="hidden" name="id" value="${guild.id}">
<button class="danger-solid">Take over the listing</button></form></details>`;
}
