import type { Request, Response } from 'express';
import type { Fragment } from '../../pages/html.ts';
import type { Sending } from '../webhooks/attempt.ts';
import { PageFault } from './fault.ts';
import { layout } from './layout.ts';
import { readNotice } from './notices.ts';
import { type Sessions, same, type Visitor } from './session.ts';

/** What the pages work with. */
export interface PageRooms {
  readonly sending: Sending;
  readonly sessions: Sessions;
  /** Anybody may act as any member: for the sandbox only. Otherwise people sign in by link. */
  readonly actAsMembers: boolean;
  /** A delivery was queued: send it. */
  readonly queued: () => void;
}

/** Somebody who may post: signed in, and with the token of a form of this session. @throws PageFault 403 */
export async function postingVisitor({ sending, sessions }: PageRooms, request: Request): Promise<Visitor> {
  const visitor = await sessions.visitor(request, sending.clock.now());
  const token = (request.body as Record<string, unknown> | undefined)?.['token'];
  if (visitor && typeof token === 'string' && same(token, visitor.formToken)) return visitor;
  throw new PageFault(403, 'Your session has ended. Please sign in and send the form again.');
}

/** Sends a page in the common frame. */
export function show(
  request: Request,
  response: Response,
  page: { title: string; visitor: Visitor | null; body: Fragment },
): void {
  const { title, visitor, body } = page;
  const notice = readNotice(request.query['notice']);
  response.type('html').send(layout({ title, visitor, notice }, body).text);
}
