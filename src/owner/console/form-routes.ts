import { randomUUID } from 'node:crypto';
import { type Request, Router } from 'express';
import { overdraws } from '../../ledger/correction.ts';
import type { OwnerContext } from '../context.ts';
import { correct } from '../correct.ts';
import { HttpError, overdraftError } from '../http-error.ts';
import { replayDelivery, replayEffect } from '../replay.ts';
import {
  type CorrectionRequest,
  correctionRequest,
  idempotencyKey,
  idParameter,
  parseRequest,
  userParameter,
} from '../request-schemas.ts';
import { confirmationPage } from './confirmation-page.ts';
import { showMember } from './member.ts';
import { requireSession } from './middleware.ts';
import { renderPage, upFrom } from './render-page.ts';
import type { OwnerSessions } from './session.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The forms that are sent. Each ends with a redirect, so that reloading does nothing again. */
export function formRoutes(services: OwnerContext, sessions: OwnerSessions): Router {
  const router = Router({ strict: true });
  const { sent } = requireSession(sessions);

  router.post(
    '/deliveries/:id/replay',
    sent(async (request, response) => {
      const { id } = parseRequest(idParameter, request.params);
      const { outcome } = await replayDelivery(services, id);
      response.redirect(303, `../${id}?notice=replayed-${outcome}`);
    }),
  );

  router.post(
    '/effects/:id/replay',
    sent(async (request, response) => {
      const { deliveryId } = await replayEffect(services, parseRequest(idParameter, request.params).id);
      const back = (request.body as Fields)['back'] === 'delivery' ? `deliveries/${deliveryId}` : 'effects';
      response.redirect(303, `../../${back}?notice=revived`);
    }),
  );

  router.post(
    '/users/:userId/corrections',
    sent(async (request, response, session) => {
      const { userId } = parseRequest(userParameter, request.params);
      const fields = request.body as Fields;
      try {
        const asked = readCorrection(fields);
        if (fields['key'] !== undefined) {
          const { repeated } = await correct(services, userId, asked, keyOf(fields));
          return response.redirect(303, `../${userId}?notice=${repeated ? 'repeated' : 'corrected'}`);
        }
        const account = await services.ledger.account(userId);
        if (overdraws(account.credits, asked.credits)) throw overdraftError(account.credits);
        const form = { up: upFrom(request.path), session, idempotencyKey: randomUUID() };
        renderPage(request, response, {
          title: 'Correct an account',
          session,
          body: confirmationPage(account, asked, form),
        });
      } catch (error) {
        if (!(error instanceof HttpError)) throw error;
        response.status(error.status);
        const draft = { credits: written(fields['credits']), reason: written(fields['reason']), fault: error.message };
        const page = { limit: 25, before: null };
        await showMember(services, { request, response, session, userId, page, draft });
      }
    }),
  );

  // Where a browser comes that reloads what a form has led to.
  router.get('/users/:userId/corrections', (request: Request<{ userId: string }>, response) => {
    response.redirect(303, `../${parseRequest(userParameter, request.params).userId}`);
  });

  return router;
}

function readCorrection({ credits, reason }: Fields): CorrectionRequest {
  const whole = typeof credits === 'string' && /^\s*[+-]?\d{1,9}\s*$/.test(credits) ? Number(credits) : Number.NaN;
  return parseRequest(correctionRequest, { credits: whole, reason });
}

function keyOf({ key }: Fields): string {
  return parseRequest(idempotencyKey, { 'Idempotency-Key': key })['Idempotency-Key'];
}

function written(field: unknown): string {
  return typeof field === 'string' ? field : '';
}
