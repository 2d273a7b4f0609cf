import { randomUUID } from 'node:crypto';
import { isOnCalendar } from '@tallyhook/platform/calendar-date';
import { mention } from '@tallyhook/platform/texts/markup';
import { formTokenField } from '@tallyhook/platform/web/form-token';
import { type Html, html } from '@tallyhook/platform/web/html';
import { HttpError } from '@tallyhook/platform/web/http-error';
import { Router } from 'express';
import { z } from 'zod';
import { maxCorrection, overdraws } from '../../core/ledger/correction.ts';
import { createCalendar } from '../../core/rewards/calendar.ts';
import { decideAlarm, decisions, findTimeZone, reverseVotes } from '../listings.ts';
import { correct, replayDelivery, replayEffect } from '../replay.ts';
import {
  type CorrectionRequest,
  correctionRequest,
  idParameter,
  listingParameter,
  parseRequest,
  readIdempotencyKey,
  userParameter,
} from '../request-schemas.ts';
import { counted, fill, memberLink, type NamedPage, signedCredits, untrustedText } from './cells.ts';
import { ConsoleError, explainError } from './console-error.ts';
import { reversalPage } from './listings-page.ts';
import { renderMemberPage } from './member-page.ts';
import type { SessionMiddleware } from './middleware.ts';
import { defaultPageSize } from './page-routes.ts';
import { visible } from './pretty-json.ts';
import { relativeRoot, renderPage, textsOf } from './render-page.ts';
import { authorOf, type OwnerSession } from './session.ts';

const replayForm = z.object({ back: z.enum(['delivery', 'effects']).catch('effects') });

/**
 * Invalid fields become empty text, so that the page can be shown again with the others. `key`: only in the
 * confirmation.
 */
const correctionForm = z.object({
  credits: z.string().catch(''),
  reason: z.string().catch(''),
  key: z.unknown().optional(),
  guildId: z.string().optional().catch(undefined),
});
/** As a browser sends a local date and time. `confirmed`: only in the confirmation. */
const localTime = z
  .string('must be a date and time')
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/, 'must be a date and time')
  .refine(
    (text) => isOnCalendar(text.slice(0, 10)) && !Number.isNaN(Date.parse(`${text}Z`)),
    'must be an existing date',
  );
const reversalForm = z.object({ from: localTime, until: localTime, confirmed: z.unknown().optional() });
type CorrectionForm = z.infer<typeof correctionForm>;

/** The forms. Each submission ends with a redirect, so that reloading the page does not repeat it. */
export function formRoutes({ requireForm, requireSession }: SessionMiddleware): Router {
  const router = Router({ strict: true, mergeParams: true });

  router.post(
    '/deliveries/:id/replay',
    requireForm(async (request, response, session) => {
      const { id } = parseRequest(idParameter, request.params);
      const { outcome } = await replayDelivery(session.context, id, authorOf(session));
      response.redirect(303, `../${id}?notice=replayed-${outcome}`);
    }),
  );

  router.post(
    '/effects/:id/replay',
    requireForm(async (request, response, session) => {
      const { back } = parseRequest(replayForm, request.body);
      const { deliveryId } = await replayEffect(
        session.context,
        parseRequest(idParameter, request.params).id,
        authorOf(session),
      );
      const page = back === 'delivery' && deliveryId !== null ? `deliveries/${deliveryId}` : 'effects';
      response.redirect(303, `../../${page}?notice=revived`);
    }),
  );

  router.post(
    '/users/:userId/corrections',
    requireForm(async (request, response, session) => {
      const { context } = session;
      const { userId } = parseRequest(userParameter, request.params);
      const form = parseRequest(correctionForm, request.body);
      const texts = textsOf(request);
      try {
        const correction = readCorrection(form);
        if (form.key !== undefined) {
          const { repeated } = await correct(context, userId, correction, {
            idempotencyKey: readIdempotencyKey(form.key),
            author: authorOf(session),
          });
          const { guildId } = correction;
          const shown = guildId === undefined ? '' : `&guildId=${guildId}`;
          return response.redirect(303, `../${userId}?notice=${repeated ? 'repeated' : 'corrected'}${shown}`);
        }
        const { communities } = context;
        const { guildId } = correction;
        const { ledger } = communities.at(guildId ?? null);
        const account = await ledger.account(userId);
        if (overdraws(account.credits, correction.credits)) {
          throw new ConsoleError(409, ({ text }) =>
            text('award.overdrawn', {
              user: mention(userId),
              credits: text('parts.credits', { count: account.credits }),
            }),
          );
        }
        const names = await context.namesIn(context.scope)([userId]);
        const options = { root: relativeRoot(request.path), texts, names, session, idempotencyKey: randomUUID() };
        const body = confirmationPage(account, correction, options);
        renderPage(request, response, { title: texts.text('console.correct.title'), session, body });
      } catch (error) {
        if (!(error instanceof HttpError)) throw error;
        response.status(error.status);
        const message = explainError(error, texts);
        const rejectedForm = { credits: form.credits, reason: form.reason, message };
        const page = { limit: defaultPageSize, before: null };
        await renderMemberPage({
          request,
          response,
          session,
          userId,
          guildId: form.guildId ?? null,
          page,
          rejected: rejectedForm,
        });
      }
    }),
  );

  for (const decision of decisions) {
    router.post(
      `/listings/:listing/${decision}`,
      requireForm(async (request, response, { context }) => {
        await decideAlarm(context, parseRequest(listingParameter, request.params).listing, decision);
        response.redirect(303, `../../listings?notice=${decision}`);
      }),
    );
  }

  router.post(
    '/listings/:listing/reversals',
    requireForm(async (request, response, session) => {
      const { context } = session;
      const { listing } = parseRequest(listingParameter, request.params);
      const { confirmed, ...fields } = parseRequest(reversalForm, request.body);
      const { fromLocal } = createCalendar(findTimeZone(context, listing));
      const timeOf = (text: string) => fromLocal(Date.parse(`${text}Z`));
      const range = { listing, from: timeOf(fields.from), until: timeOf(fields.until) };
      if (range.from >= range.until) throw new ConsoleError(400, ({ text }) => text('console.reversal.order'));
      const totals = await reverseVotes(context, range, confirmed === undefined);
      if (confirmed !== undefined) return response.redirect(303, '../../listings?notice=reversed');
      const [texts, names] = [textsOf(request), await context.namesIn(context.scope)([])];
      const body = reversalPage(range, totals, { root: relativeRoot(request.path), session, texts, names, fields });
      renderPage(request, response, { title: texts.text('console.reversal.title'), session, body });
    }),
  );

  // For reloading the pages with a rejected or unconfirmed form.
  router.get(
    '/listings/:listing/reversals',
    requireSession((_request, response) => response.redirect(303, '../../listings')),
  );
  router.get(
    '/users/:userId/corrections',
    requireSession((request, response) => {
      response.redirect(303, `../${parseRequest(userParameter, request.params).userId}`);
    }),
  );

  return router;
}

/** @throws ConsoleError 400 */
function readCorrection({ credits, reason, guildId }: CorrectionForm): CorrectionRequest {
  const amount = /^\s*[+-]?\d{1,9}\s*$/.test(credits) ? Number(credits) : Number.NaN;
  const parsed = correctionRequest.safeParse({ credits: amount, reason, guildId });
  if (parsed.success) return parsed.data;
  throw new ConsoleError(400, ({ text }) => text('award.invalid', { max: maxCorrection }));
}

/**
 * The confirmation before an account is corrected.
 * @param page `idempotencyKey` is a field of the form, so that sending it twice corrects once
 */
function confirmationPage(
  { userId, credits: balance }: { readonly userId: string; readonly credits: number },
  { credits, reason }: CorrectionRequest,
  page: NamedPage & { readonly session: OwnerSession; readonly idempotencyKey: string },
): Html {
  const { root, session, texts, names, idempotencyKey } = page;
  const { text } = texts;

  const amount = (value: number) => counted(texts.text('parts.credits', { count: value }));
  const name = html`<bdi>${visible(names?.member(userId) ?? userId)}</bdi>`;
  return html`<div class="narrow"><p class="trail"><a href="${root}users/${userId}">${fill(texts, 'console.memberTitle', { name: name })}</a></p>
<h1>${text('console.correct.question')}</h1>
<section class="card"><dl class="facts">
<div><dt>${text('console.labels.member')}</dt><dd>${memberLink(userId, page)}</dd></div><div><dt>${text('credits.causes.correction')}</dt><dd>${signedCredits(credits, texts)}</dd></div>
<div><dt>${text('console.labels.balance')}</dt><dd>${amount(balance)} → ${amount(balance + credits)}</dd></div>
<div><dt>${text('console.labels.reason')}</dt><dd>${untrustedText(reason)}</dd></div></dl>
<form class="line" method="post" action="${root}users/${userId}/corrections">${formTokenField(session)}
<input type="hidden" name="credits" value="${credits}"><input type="hidden" name="reason" value="${reason}">
<input type="hidden" name="key" value="${idempotencyKey}">
<button>${text('setup.buttons.confirm')}</button> <a href="${root}users/${userId}">${text('setup.buttons.cancel')}</a></form></section></div>`;
}
