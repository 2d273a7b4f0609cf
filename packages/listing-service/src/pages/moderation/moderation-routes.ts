import type { Fragment } from '@tallyhook/platform/web/html';
import type { Router } from 'express';
import { z } from 'zod';
import { listBans, type ModerationContext, moderate, moderationLog } from '../../abuse/moderate.ts';
import { listingsInState, moderationQueue } from '../../abuse/reports.ts';
import { PageError } from '../../texts/page-error.ts';
import { line, readForm, snowflake } from '../forms.ts';
import { type PageCall, type PageDependencies, PageRoutes, pageNotFound } from '../page-routes.ts';
import {
  bansPage,
  hiddenListingsPage,
  logPage,
  type ModerationPath,
  moderationPage,
  queuePage,
} from './moderation-pages.ts';

const maxPending = 50;
const maxItems = 20;
const maxRows = 200;

const reason = line(300, 0).default('');
const reasonForm = z.object({ reason });
const givenReason = z.object({ reason: line(300) });
const pageNumber = z.coerce.number().int().min(1).max(10_000).catch(1);
const listingAction = z.object({ listingId: snowflake, action: z.enum(['publish', 'hide']), reason });
const memberAction = z.object({ userId: snowflake, action: z.enum(['ban', 'lift']), reason });
const reportAction = z.object({
  kind: z.enum(['review', 'listing']),
  listingId: snowflake,
  reviewUserId: z.union([z.literal(''), snowflake]),
  action: z.enum(['dismiss', 'remove-review', 'ban', 'hide-listing']),
  reason,
});

/** The pages and forms of operators. For all others they do not exist. */
export function moderationRoutes(dependencies: PageDependencies): Router {
  const { database, clock, sessions } = dependencies;
  const routes = new PageRoutes(dependencies);

  routes.router.use('/moderation', async (request, _response, next) => {
    const visitor = await sessions.visitor(request, clock.now());
    if (!visitor?.isOperator) throw pageNotFound();
    next();
  });

  function page(path: ModerationPath, read: (call: PageCall) => Promise<Fragment>): void {
    routes.memberPage(path, async (call) => ({
      title: call.texts.text('frame.moderation'),
      body: moderationPage(path, await read(call), call.texts),
    }));
  }

  page('/moderation', async (call) => {
    const number = pageNumber.parse(call.request.query['page']);
    const { items, hasMore } = await moderationQueue(database, { limit: maxItems, offset: (number - 1) * maxItems });
    const pending = await listingsInState(database, 'pending', maxPending);
    return queuePage(pending, items, hasMore ? number + 1 : null, call);
  });
  page('/moderation/listings', async (call) =>
    hiddenListingsPage(await listingsInState(database, 'hidden', maxRows), call),
  );
  page('/moderation/members', async (call) => bansPage(await listBans(database, maxRows), call));
  page('/moderation/log', async ({ texts }) => logPage(await moderationLog(database, maxRows), texts));

  function form<Form extends z.ZodObject>(
    path: ModerationPath | '/moderation/reports',
    fields: Form,
    act: (values: z.infer<Form>, context: ModerationContext) => Promise<boolean>,
  ): void {
    routes.form(path, async ({ request, visitor: { userId }, now }) => {
      const values = readForm(fields, request.body);
      const done = await act(values, { operatorId: userId, now, ...readForm(reasonForm, request.body) });
      const back = path === '/moderation/reports' ? '/moderation' : path;
      return `${back}?notice=${done ? 'moderated' : 'nothing-moderated'}`;
    });
  }

  form('/moderation/listings', listingAction, async ({ listingId, action }, context) => {
    if (action === 'publish') return moderate(database, 'publish-listing', { listingId }, context);
    return moderate(database, 'hide-listing', { listingId }, withReason(context));
  });

  form('/moderation/members', memberAction, async ({ userId, action }, context) => {
    if (action === 'lift') return moderate(database, 'lift-ban', { userId }, context);
    return moderate(database, 'ban-member', { userId }, withReason(context));
  });

  form('/moderation/reports', reportAction, async ({ action, kind, listingId, reviewUserId }, context) => {
    const isReview = reviewUserId !== '';
    const needsReview = action === 'remove-review' || action === 'ban';
    if (isReview !== (kind === 'review') || (needsReview && !isReview)) {
      throw new PageError(400, ({ text }) => text('errors.unreadable'));
    }
    const reported = { listingId, userId: reviewUserId };
    if (action === 'dismiss') return moderate(database, 'dismiss-reports', reported, context);
    if (action === 'hide-listing') return moderate(database, action, { listingId }, withReason(context));
    const removed = await moderate(database, 'remove-review', reported, withReason(context));
    if (action === 'remove-review') return removed;
    return moderate(database, 'ban-member', { userId: reviewUserId }, withReason(context));
  });

  return routes.router;
}

/** @throws PageError 400 without a reason, which owner or member will see */
function withReason(context: ModerationContext): ModerationContext {
  return { ...context, ...readForm(givenReason, context) };
}
