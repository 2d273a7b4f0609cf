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
import type { Listing, ServiceListingKind } from '../../listing/listing.ts';
import type { Database } from '../../storage/database.ts';
import { ownersOfServers } from '../../storage/listings/listings.ts';
import { findProvenGuild, type ProvenGuild, provenGuilds } from '../../storage/members/proven-guilds.ts';
import { newListingForm, provenServerForm, readForm } from '../forms.ts';
import { isolated } from '../listing-parts.ts';
import { type PageDependencies, type PageRoutes, pageNotFound } from '../page-routes.ts';
import type { Visitor } from '../session.ts';

const notConfirmed = 'Discord did not confirm within the last hour that this server is yours. Try again.';

/** The page and the forms that add a server or a bot. */
export function addCreateRoutes(routes: PageRoutes, dependencies: PageDependencies): void {
  const { database, actAsMembers, approvesBots, admission, discord } = dependencies;

  routes.memberPage('/dashboard/new', async ({ visitor, now }) => {
    const servers = discord && (await findProvenServers(database, visitor, now));
    return { title: 'Add a server or bot', body: createPage(visitor, servers, dependencies) };
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
    if (!(await takeOverListing(database, id, userId, now))) throw new HttpError(403, notConfirmed);
    return `/dashboard/${id}?notice=taken-over`;
  });

  routes.form('/dashboard/new/bot', async ({ request, visitor, now }) => {
    const fields = readForm(newListingForm, request.body);
    const listing = { ...fields, ...newListing(visitor, now), kind: 'bot' as const, facts: { servers: 0, shards: 1 } };
    await admission.admit(request, 'create', visitor.userId);
    return create(listing, approvesBots ? 'pending' : 'published');
  });

  /** Whether the form is not that of a proven server, which has no name. */
  function isOfAnyServer(body: unknown): boolean {
    return actAsMembers && (discord === null || z.object({ name: z.string() }).safeParse(body).success);
  }

  async function create(listing: Listing, state: 'published' | 'pending'): Promise<string> {
    const outcome = await createOwnersListing(database, listing, state);
    if (outcome === 'listed') throw new HttpError(409, `This ${listing.kind} is already listed here.`);
    if (outcome === 'too-many') throw new HttpError(409, `A member can have ${maxListingsOfOwner} listings.`);
    return `/dashboard/${listing.id}?notice=${outcome}`;
  }
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
  if (guild === null) throw new HttpError(403, notConfirmed);
  const { name } = readForm(newListingForm, { id, name: guild.name });
  const facts = { ...defaultServerFacts, members: guild.members ?? 0, online: guild.online ?? 0 };
  return { id, name, description: '', facts };
}

/** A server that the visitor has proven to manage, and whose listing it has; null if it is not listed. */
interface ProvenServer {
  readonly guild: ProvenGuild;
  readonly listedBy: 'visitor' | 'another' | null;
}

async function findProvenServers(database: Database, { userId }: Visitor, now: number): Promise<ProvenServer[]> {
  const guilds = await provenGuilds(database, userId, now);
  const ids = guilds.map(({ id }) => id);
  const owners = await ownersOfServers(database, ids);
  return guilds.map((guild) => {
    const owner = owners.get(guild.id);
    return { guild, listedBy: owner === undefined ? null : owner === userId ? 'visitor' : 'another' };
  });
}

/**
 * The forms that add a server or a bot. Where visitors may act as any member, nobody has to prove anything, so that
 * everything can be tried.
 * @param servers those that the visitor has proven to manage; null if nobody can prove it
 */
function createPage(
  visitor: Visitor,
  servers: readonly ProvenServer[] | null,
  { actAsMembers, approvesBots }: PageDependencies,
): Html {
  return html`<h1>Add a server or bot</h1>
<section class="card" aria-labelledby="add-server"><h2 id="add-server">Add a server</h2>
${servers && provenServers(servers, visitor)}
${actAsMembers && servers && html`<h3>Any server, for testing</h3>`}
${actAsMembers && idForm('server', visitor)}
${!servers && !actAsMembers && html`<p>Ask the operator of this service to add your server.</p>`}</section>
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
