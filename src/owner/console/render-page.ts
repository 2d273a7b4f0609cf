import type { Request, Response } from 'express';
import type { Fragment } from '../../web/html.ts';
import { layout } from './layout.ts';
import { readNotice } from './notices.ts';
import type { OwnerSession } from './session.ts';

/** The way up to the console's front page from the page that was asked for, as a relative link. */
export function upFrom(path: string): string {
  const depth = path.split('/').length - 2;
  return depth <= 0 ? './' : '..'.repeat(depth);
}

/** Sends a page in the common frame. */
export function renderPage(
  request: Request,
  response: Response,
  page: { readonly title: string; readonly session: OwnerSession | null; readonly body: Fragment },
): void {
  const { title, session, body } = page;
  const notice = readNotice(request.query['notice']);
  response
    .type('html')
    .send(
      layout({ title, session, notice, up: upFrom(request.path), place: request.path.split('/')[1] ?? '' }, body).text,
    );
}
