import type { Request, Response } from 'express';
import type { Fragment } from '../../web/html.ts';
import type { DeliveryContext } from '../webhooks/attempt.ts';
import { layout } from './layout.ts';
import { readNotice } from './notices.ts';
import { PageError } from './page-error.ts';
import { type MemberSessions, same, type Visitor } from './session.ts';

/** What the pages work with. */
export interface PageDependencies {
  readonly sending: DeliveryContext;
  readonly sessions: MemberSessions;
  /** Anybody may act as any member: for the sandbox only. Otherwise people sign in by link. */
  readonly actAsMembers: boolean;
  /** A delivery was queued: send it. */
  readonly queued: () => void;
}

/** Somebody who may post: signed in, and with the token of a form of this session. @throws PageFault 403 */
export async function postingVisitor({ sending, sessions }: PageDependencies, request: Request): Promise<Visitor> {
  const visitor = await sessions.visitor(request, sending.clock.now());
  const token = (request.body as Record<string, unknown> | undefined)?.['token'];
  if (visitor && typeof token === 'string' && same(token, visitor.formToken)) return visitor;
  throw new PageError(403, 'Your session has ended. Please sign in and send the form again.');
}

/** Sends a page in the common frame. */
export function renderServicePage(
  request: Request,
  response: Response,
  page: { title: string; visitor: Visitor | null; body: Fragment },
): void {
  const { title, visitor, body } = page;
  const notice = readNotice(request.query['notice']);
  response.type('html').send(layout({ title, visitor, notice }, body).text);
}
