import type { Request, Response } from 'express';
import type { Page } from '../records.ts';
import type { OwnerServices } from '../services.ts';
import { tellMember } from '../tell-member.ts';
import { type Draft, memberPage } from './member-page.ts';
import type { Session } from './session.ts';
import { show, upFrom } from './show.ts';

/** Shows a member's page; where a correction could not be made, with what was written and why not. */
export async function showMember(
  services: OwnerServices,
  asked: {
    readonly request: Request;
    readonly response: Response;
    readonly session: Session;
    readonly userId: string;
    readonly page: Page;
    readonly draft: Draft | null;
  },
): Promise<void> {
  const { request, response, session, userId, page, draft } = asked;
  const story = await tellMember(services, userId, page);
  const view = { ...story, draft, now: services.clock.now() };
  show(request, response, {
    title: `Member ${userId}`,
    session,
    body: memberPage(view, upFrom(request.path), session),
  });
}
