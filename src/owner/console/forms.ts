import { randomUUID } from 'node:crypto';
import { type Request, Router } from 'express';
import { overdraws } from '../../ledger/correction.ts';
import { type AskedCorrection, askedCorrection, askedId, askedKey, askedUser, read } from '../asked.ts';
import { correct } from '../correct.ts';
import { overdrawn, Refused } from '../refused.ts';
import { replayDelivery, replayEffect } from '../replay.ts';
import type { OwnerServices } from '../services.ts';
import { confirmationPage } from './confirmation-page.ts';
import { forSignedIn } from './guards.ts';
import { showMember } from './member.ts';
import type { Sessions } from './session.ts';
import { show, upFrom } from './show.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The forms that are sent. Each ends with a redirect, so that reloading does nothing again. */
export function formRoutes(services: OwnerServices, sessions: Sessions): Router {
  const router = Router({ strict: true });
  const { sent } = forSignedIn(sessions);

  router.post(
    '/deliveries/:id/replay',
    sent(async (request, response) => {
      const { id } = read(askedId, request.params);
      const { outcome } = await replayDelivery(services, id);
      response.redirect(303, `../${id}?notice=replayed-${outcome}`);
    }),
  );

  router.post(
    '/effects/:id/replay',
    sent(async (request, response) => {
      const { deliveryId } = await replayEffect(services, read(askedId, request.params).id);
      const back = (request.body as Fields)['back'] === 'delivery' ? `deliveries/${deliveryId}` : 'effects';
      response.redirect(303, `../../${back}?notice=revived`);
    }),
  );

  router.post(
    '/users/:userId/corrections',
    sent(async (request, response, session) => {
      const { userId } = read(askedUser, request.params);
      const fields = request.body as Fields;
      try {
        const asked = readCorrection(fields);
        if (fields['key'] !== undefined) {
          const { repeated } = await correct(services, userId, asked, keyOf(fields));
          return response.redirect(303, `../${userId}?notice=${repeated ? 'repeated' : 'corrected'}`);
        }
        const account = await services.ledger.account(userId);
        if (overdraws(account.credits, asked.credits)) throw overdrawn(account.credits);
        const form = { up: upFrom(request.path), session, idempotencyKey: randomUUID() };
        show(request, response, { title: 'Correct an account', session, body: confirmationPage(account, asked, form) });
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        response.status(error.status);
        const draft = { credits: written(fields['credits']), reason: written(fields['reason']), fault: error.message };
        const page = { limit: 25, before: null };
        await showMember(services, { request, response, session, userId, page, draft });
      }
    }),
  );

  // Where a browser comes that reloads what a form has led to.
  router.get('/users/:userId/corrections', (request: Request<{ userId: string }>, response) => {
    response.redirect(303, `../${read(askedUser, request.params).userId}`);
  });

  return router;
}

function readCorrection({ credits, reason }: Fields): AskedCorrection {
  const whole = typeof credits === 'string' && /^\s*[+-]?\d{1,9}\s*$/.test(credits) ? Number(credits) : Number.NaN;
  return read(askedCorrection, { credits: whole, reason });
}

function keyOf({ key }: Fields): string {
  return read(askedKey, { 'Idempotency-Key': key })['Idempotency-Key'];
}

function written(field: unknown): string {
  return typeof field === 'string' ? field : '';
}
