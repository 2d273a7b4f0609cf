import type { Request, Response } from 'express';
import type { OwnerContext } from '../context.ts';
import { getMember } from '../get-member.ts';
import type { Page } from '../records.ts';
import { type CorrectionDraft, memberPage } from './member-page.ts';
import { renderPage, upFrom } from './render-page.ts';
import type { OwnerSession } from './session.ts';

/** Shows a member's page; where a correction could not be made, with what was written and why not. */
export async function showMember(
  services: OwnerContext,
  asked: {
    readonly request: Request;
    readonly response: Response;
    readonly session: OwnerSession;
    readonly userId: string;
    readonly page: Page;
    readonly draft: CorrectionDraft | null;
  },
): Promise<void> {
  const { request, response, session, userId, page, draft } = asked;
  const story = await getMember(services, userId, page);
  const view = { ...story, draft, now: services.clock.now() };
  renderPage(request, response, {
    title: `Member ${userId}`,
    session,
    body: memberPage(view, upFrom(request.path), session),
  });
}
