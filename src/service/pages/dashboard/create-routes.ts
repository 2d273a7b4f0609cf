import { Router } from 'express';
import { HttpError } from '../../../web/http-error.ts';
import { createOwnersListing, defaultServerFacts, maxListingsOfOwner } from '../../actions/create-listing.ts';
import type { CommonListing, Listing } from '../../listing/listing.ts';
import { findProvenGuild, provenGuilds } from '../../storage/proven-guilds.ts';
import type { PageDependencies } from '../dependencies.ts';
import { newListingForm, provenServerForm, readForm } from '../forms.ts';
import { pageNotFound, renderServicePage, requireVisitor } from '../render-page.ts';
import type { Visitor } from '../session.ts';
import { type CreateView, createPage } from './create-page.ts';

/** The page and the forms that add a server or a bot. */
export function createRoutes(dependencies: PageDependencies): Router {
  const { sending, sessions, actAsMembers, approvesBots, admission, discord } = dependencies;
  const { database, clock } = sending;
  const router = Router();
  // Where visitors may act as any member, nobody has to prove anything, so that everything can be tried.
  const servers: CreateView['servers'] = actAsMembers ? 'any' : discord === null ? 'operator' : 'proven';

  router.get('/dashboard/new', async (request, response) => {
    const now = clock.now();
    const visitor = await sessions.visitor(request, now);
    if (!visitor) return response.redirect(303, '/sign-in?next=/dashboard/new');
    const guilds = servers === 'proven' ? await provenGuilds(database, visitor.userId, now) : [];
    const body = createPage({ visitor, guilds, servers, approvesBots });
    renderServicePage(request, response, { title: 'Add a server or bot', visitor, body });
  });

  router.post('/dashboard/new/server', async (request, response) => {
    const visitor = await requireVisitor(dependencies, request);
    if (servers === 'operator') throw pageNotFound();
    const { facts, ...fields } =
      servers === 'any' ? anyServer(request.body) : await provenServer(request.body, visitor);
    const listing = { ...newListing(fields, visitor), kind: 'server' as const, facts };
    await admission.admit(request, 'create', visitor.userId);
    await createOrThrow(listing, 'published');
    response.redirect(303, `/dashboard/${listing.id}?notice=created`);
  });

  router.post('/dashboard/new/bot', async (request, response) => {
    const visitor = await requireVisitor(dependencies, request);
    const fields = readForm(newListingForm, request.body);
    const listing = { ...newListing(fields, visitor), kind: 'bot' as const, facts: { servers: 0, shards: 1 } };
    await admission.admit(request, 'create', visitor.userId);
    await createOrThrow(listing, approvesBots ? 'pending' : 'published');
    response.redirect(303, `/dashboard/${listing.id}?notice=${approvesBots ? 'created-pending' : 'created'}`);
  });

  function newListing(
    { id, name, description }: Pick<CommonListing, 'id' | 'name' | 'description'>,
    { userId }: Visitor,
  ): CommonListing {
    return { id, name, description, tags: [], ownerId: userId, createdAt: clock.now() };
  }

  function anyServer(body: unknown) {
    return { ...readForm(newListingForm, body), facts: defaultServerFacts };
  }

  /** Name and members are those that Discord knows. */
  async function provenServer(body: unknown, { userId }: Visitor) {
    const { id } = readForm(provenServerForm, body);
    const guild = await findProvenGuild(database, userId, id, clock.now());
    if (guild === null) {
      throw new HttpError(403, 'Discord did not confirm within the last hour that this server is yours. Try again.');
    }
    const { name } = readForm(newListingForm, { id, name: guild.name });
    const facts = { ...defaultServerFacts, members: guild.members ?? 0, online: guild.online ?? 0 };
    return { id, name, description: '', facts };
  }

  async function createOrThrow(listing: Listing, state: 'published' | 'pending'): Promise<void> {
    const outcome = await createOwnersListing(database, listing, state);
    if (outcome === 'listed') throw new HttpError(409, `This ${listing.kind} is already listed here.`);
    if (outcome === 'too-many') throw new HttpError(409, `A member can have ${maxListingsOfOwner} listings.`);
  }

  return router;
}
