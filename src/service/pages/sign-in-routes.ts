import { type Request, Router } from 'express';
import { redeemSignInToken } from '../actions/sign-in.ts';
import type { Database } from '../storage/database.ts';
import { allListings } from '../storage/listings.ts';
import { findMember, listMembers, type ServiceMember } from '../storage/members.ts';
import { type PageDependencies, postingVisitor, renderServicePage } from './dependencies.ts';
import { actAsForm, readForm } from './forms.ts';
import { notFound, PageError } from './page-error.ts';
import { actAsPage, askForLinkPage, redeemPage } from './sign-in-page.ts';

const mostMembers = 200;

/** How somebody becomes a visitor with a name: by choice in the sandbox, by link otherwise. */
export function signInRoutes(rooms: PageDependencies): Router {
  const { sending, sessions, actAsMembers } = rooms;
  const { database, clock } = sending;
  const router = Router();

  router.get('/sign-in', async (request, response) => {
    const visitor = await sessions.visitor(request, clock.now());
    const body = actAsMembers ? actAsPage(await choices(database), localPath(request.query['next'])) : askForLinkPage();
    renderServicePage(request, response, { title: 'Sign in', visitor, body });
  });

  router.post('/sign-in', async (request, response) => {
    if (!actAsMembers) throw notFound();
    const { userId } = readForm(actAsForm, request.body);
    if ((await findMember(database, userId)) === null) throw new PageError(400, 'There is no such member.');
    sessions.signIn(response, userId, clock.now());
    response.redirect(303, localPath((request.body as Record<string, unknown>)['next']));
  });

  router.get('/sign-in/:token', async (request, response) => {
    const visitor = await sessions.visitor(request, clock.now());
    renderServicePage(request, response, { title: 'Sign in', visitor, body: redeemPage(request.params.token) });
  });

  router.post('/sign-in/:token', async (request: Request<{ token: string }>, response) => {
    const member = await redeemSignInToken(database, request.params.token, clock.now());
    if (member === null)
      throw new PageError(403, 'This sign-in link was used already or is too old. Ask for a new one.');
    sessions.signIn(response, member.userId, clock.now());
    response.redirect(303, '/dashboard?notice=signed-in');
  });

  router.post('/sign-out', async (request, response) => {
    await postingVisitor(rooms, request);
    sessions.signOut(response);
    response.redirect(303, '/?notice=signed-out');
  });

  return router;
}

/** Whom one can act as in the sandbox, the owners first. */
async function choices(database: Database): Promise<(ServiceMember & { owns: string[] })[]> {
  const [members, listings] = await Promise.all([listMembers(database, mostMembers), allListings(database)]);
  const ownedBy = Map.groupBy(listings, (listing) => listing.ownerId);
  return members
    .map((member) => ({ ...member, owns: ownedBy.get(member.userId)?.map((listing) => listing.name) ?? [] }))
    .sort((a, b) => b.owns.length - a.owns.length);
}

/** Where to go after signing in: a path of this service, whatever a link says. */
function localPath(value: unknown): string {
  return typeof value === 'string' && /^\/(?:[\w-][\w/-]*)?$/.test(value) ? value : '/';
}
