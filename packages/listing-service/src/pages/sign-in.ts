import { formTokenField } from '@tallyhook/platform/web/form-token';
import { type Html, html } from '@tallyhook/platform/web/html';
import type { Request, Router } from 'express';
import { z } from 'zod';
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
import { PageError } from '../texts/page-error.ts';
import type { ServiceTexts } from '../texts/texts.ts';
import { actAsForm, nextPath, readForm } from './forms.ts';
import { isolated } from './listing-parts.ts';
import { type PageDependencies, PageRoutes, pageNotFound } from './page-routes.ts';
import { signedInAt } from './render-page.ts';
import type { Visitor } from './session.ts';

const maxMembers = 200;
const maxOwnedListings = 100;
const nextForm = z.object({ next: nextPath });

/** Sign-in with Discord, by link, or by choosing a member in the sandbox, and sign-out. */
export function signInRoutes(dependencies: PageDependencies): Router {
  const { database, clock, sessions, actAsMembers, admission, discord } = dependencies;
  const routes = new PageRoutes(dependencies);
  const { router } = routes;

  routes.page('/sign-in', async ({ request, visitor, texts }) => {
    const next = nextPath.parse(request.query['next']);
    const body = html`<h1>${texts.text('frame.signIn')}</h1>
${visitor && signedInSection(visitor, texts)}
${discord && discordSection(next, texts)}
${actAsMembers ? actAsSection(await findMembers(database), next, texts) : linkSection(discord !== null, texts)}`;
    return { title: texts.text('frame.signIn'), body, query: { next } };
  });

  router.post('/sign-in', async (request, response) => {
    if (!actAsMembers) throw pageNotFound();
    await admission.admit(request, 'sign-in', null);
    const { userId } = readForm(actAsForm, request.body);
    if ((await findMember(database, userId)) === null) {
      throw new PageError(400, ({ text }) => text('errors.unknownMember'));
    }
    await sessions.signIn(response, userId, clock.now());
    const { next } = readForm(nextForm, request.body);
    response.redirect(303, next.includes('#') ? signedInAt(next) : next);
  });

  routes.page('/sign-in/:token', async ({ request, now, texts }) => {
    const { token } = request.params;
    const member = await findSignInMember(database, token, now);
    if (member === null) throw invalidLink();
    return { title: texts.text('frame.signIn'), body: redeemPage(token, member, texts) };
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

type MemberOption = Awaited<ReturnType<typeof findMembers>>[number];

/** Some members for {@link actAsSection}, owners first. There may be millions. */
async function findMembers(database: Database) {
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

function signedInSection(visitor: Visitor, { fill, text }: ServiceTexts): Html {
  return html`<section class="card">
  <p>${fill('signIn.signedInAs', { name: isolated(visitor.username) })}</p>
  <form method="post" action="/sign-out/everywhere">${formTokenField(visitor)}<button>${text('signIn.signOutEverywhere')}</button></form>
</section>`;
}

function discordSection(next: string, { text }: ServiceTexts): Html {
  return html`<section class="card">
  <p>${text('signIn.discordReads')}</p>
  <p><a class="button" href="/sign-in/discord?next=${encodeURIComponent(next)}">${text('signIn.withDiscord')}</a></p>
</section>`;
}

/** Sign-in without a password, for the sandbox. */
function actAsSection(members: readonly MemberOption[], next: string, { text, list }: ServiceTexts): Html {
  const optionText = ({ username: name, owns }: MemberOption) =>
    owns.length === 0 ? name : text('signIn.ownerOf', { name, listings: list(owns) });
  return html`<h2>${text('signIn.actAs')}</h2>
<p>${text('signIn.actAsHint')}</p>
<form class="card stack" method="post" action="/sign-in">
  <input type="hidden" name="next" value="${next}">
  <label>${text('signIn.member')} <select name="userId">${members.map((member) => html`<option value="${member.userId}">${optionText(member)}</option>`)}</select></label>
  <button>${text('signIn.continue')}</button>
</form>`;
}

/** Sign-in links are created by the operator. */
function linkSection(hasDiscord: boolean, { fill, text }: ServiceTexts): Html {
  if (hasDiscord) return html`<p class="quiet">${text('signIn.linkInstead')}</p>`;
  const command = html`<code>sign-in --user ID --name NAME</code>`;
  return html`<p>${text('signIn.linkOnly')}</p>
<p class="quiet">${fill('signIn.createsLink', { command })}</p>`;
}

function invalidLink(): PageError {
  return new PageError(403, ({ text }) => text('errors.invalidLink'));
}

/**
 * The link needs a confirmation, since link previews of chat programs open it too. It names the member, so that nobody is
 * signed in as somebody else by a link from a stranger.
 */
function redeemPage(token: string, { username }: ServiceMember, { fill, text }: ServiceTexts): Html {
  const name = html`<strong>${isolated(username)}</strong>`;
  return html`<h1>${text('frame.signIn')}</h1>
<form class="card stack" method="post" action="/sign-in/${token}">
  <p>${fill('signIn.redeem', { name })}</p>
  <button>${text('signIn.signMeIn')}</button>
</form>`;
}
