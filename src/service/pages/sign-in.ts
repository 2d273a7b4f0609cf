import type { Request, Router } from 'express';
import { z } from 'zod';
import { formTokenField } from '../../platform/web/form-token.ts';
import { type Html, html } from '../../platform/web/html.ts';
import { HttpError } from '../../platform/web/http-error.ts';
import type { Database } from '../storage/database.ts';
import { listOwners } from '../storage/listings/listings.ts';
import {
  endSessions,
  findMember,
  findMembersById,
  listMembers,
  type ServiceMember,
} from '../storage/members/members.ts';
import { findSignInMember, redeemSignInToken } from '../storage/members/sign-in-links.ts';
import { actAsForm, nextPath, readForm } from './forms.ts';
import { isolated } from './listing-parts.ts';
import { type PageDependencies, PageRoutes, pageNotFound } from './page-routes.ts';
import type { Visitor } from './session.ts';

const maxMembers = 200;
const maxOwnedListings = 100;
const nextForm = z.object({ next: nextPath });

/** Sign-in with Discord, by link, or by choosing a member in the sandbox, and sign-out. */
export function signInRoutes(dependencies: PageDependencies): Router {
  const { database, clock, sessions, actAsMembers, admission, discord } = dependencies;
  const routes = new PageRoutes(dependencies);
  const { router } = routes;

  routes.page('/sign-in', async ({ request, visitor }) => {
    const next = nextPath.parse(request.query['next']);
    const body = html`<h1>Sign in</h1>
${visitor && signedInSection(visitor)}
${discord && discordSection(next)}
${actAsMembers ? actAsSection(await findMembers(database), next) : linkSection(discord !== null)}`;
    return { title: 'Sign in', body };
  });

  router.post('/sign-in', async (request, response) => {
    if (!actAsMembers) throw pageNotFound();
    await admission.admit(request, 'sign-in', null);
    const { userId } = readForm(actAsForm, request.body);
    if ((await findMember(database, userId)) === null) throw new HttpError(400, 'This member does not exist.');
    await sessions.signIn(response, userId, clock.now());
    response.redirect(303, readForm(nextForm, request.body).next);
  });

  routes.page('/sign-in/:token', async ({ request, now }) => {
    const { token } = request.params;
    const member = await findSignInMember(database, token, now);
    if (member === null) throw invalidLink();
    return { title: 'Sign in', body: redeemPage(token, member) };
  });

  router.post('/sign-in/:token', async (request: Request<{ token: string }>, response) => {
    await admission.admit(request, 'sign-in', null);
    const member = await redeemSignInToken(database, request.params.token, clock.now());
    if (member === null) throw invalidLink();
    await sessions.signIn(response, member.userId, clock.now());
    response.redirect(303, '/dashboard?notice=signed-in');
  });

  routes.form('/sign-out', async ({ request, response, now }) => {
    await sessions.signOut(request, response, now);
    return '/?notice=signed-out';
  });

  routes.form('/sign-out/everywhere', async ({ request, response, visitor, now }) => {
    await endSessions(database, visitor.userId);
    await sessions.signOut(request, response, now);
    return '/?notice=signed-out-everywhere';
  });

  return router;
}

interface MemberOption extends ServiceMember {
  /** The names of the member's listings. */
  readonly owns: readonly string[];
}

/** Some members for {@link actAsSection}, owners first. There may be millions. */
async function findMembers(database: Database): Promise<MemberOption[]> {
  const listings = await listOwners(database, maxOwnedListings);
  const listingsByOwner = Map.groupBy(listings, ({ ownerId }) => ownerId);
  const members = [
    ...(await findMembersById(database, [...listingsByOwner.keys()])),
    ...(await listMembers(database, maxMembers)),
  ];
  return [...new Map(members.map((member) => [member.userId, member])).values()]
    .map((member) => ({ ...member, owns: listingsByOwner.get(member.userId)?.map(({ name }) => name) ?? [] }))
    .sort((a, b) => b.owns.length - a.owns.length || a.username.localeCompare(b.username, 'en'));
}

function signedInSection(visitor: Visitor): Html {
  return html`<section class="card">
  <p>You are signed in as <bdi>${visitor.username}</bdi>.</p>
  <form method="post" action="/sign-out/everywhere">${formTokenField(visitor)}<button>Sign out in all browsers</button></form>
</section>`;
}

function discordSection(next: string): Html {
  return html`<section class="card">
  <p>This service reads your id and your user name from Discord, and nothing else.</p>
  <p><a class="button" href="/sign-in/discord?next=${encodeURIComponent(next)}">Sign in with Discord</a></p>
</section>`;
}

/** Sign-in without a password, for the sandbox. */
function actAsSection(members: readonly MemberOption[], next: string): Html {
  return html`<h2>Act as a member</h2>
<p>This service is for testing. Choose a member to act as.</p>
<form class="card stack" method="post" action="/sign-in">
  <input type="hidden" name="next" value="${next}">
  <label>Member <select name="userId">${members.map(
    (member) =>
      html`<option value="${member.userId}">${member.username}${member.owns.length > 0 && `, owner of ${member.owns.join(' and ')}`}</option>`,
  )}</select></label>
  <button>Continue</button>
</form>`;
}

/** Sign-in links are created by the operator. */
function linkSection(hasDiscord: boolean): Html {
  if (hasDiscord) {
    return html`<p class="quiet">Without Discord, ask the operator of this service for a sign-in link. A link works once, within 15 minutes.</p>`;
  }
  return html`<p>This service has no accounts of its own. Ask its operator for a sign-in link. A link works once, within 15 minutes.</p>
<p class="quiet">The operator creates one with <code>tallyhook service sign-in --user ID --name NAME</code>.</p>`;
}

function invalidLink(): HttpError {
  return new HttpError(403, 'This sign-in link was already used or has expired. Ask for a new one.');
}

/**
 * The link needs a confirmation, since link previews of chat programs open it too. It names the member, so that nobody is
 * signed in as somebody else by a link from a stranger.
 */
function redeemPage(token: string, { username }: ServiceMember): Html {
  return html`<h1>Sign in</h1>
<form class="card stack" method="post" action="/sign-in/${token}">
  <p>This link signs you in on this device as <strong>${isolated(username)}</strong>.</p>
  <button>Sign me in</button>
</form>`;
}
