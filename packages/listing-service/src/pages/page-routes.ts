import type { Log } from '@tallyhook/platform/log';
import { isSnowflake } from '@tallyhook/platform/snowflake';
import { hasFormToken } from '@tallyhook/platform/web/form-token';
import { type Request, type Response, Router } from 'express';
import type { Admission } from '../abuse/admission.ts';
import type { VoteChallenge } from '../abuse/vote-challenge.ts';
import type { DiscordSignIn } from '../discord-sign-in/discord-accounts.ts';
import type { ServiceFace } from '../face/face.ts';
import type { DiscordInvites } from '../invites/discord-invites.ts';
import type { ServiceListingKind } from '../listing/listing.ts';
import type { Database } from '../storage/database.ts';
import { findRole, type ListingRole } from '../storage/listings/co-owners.ts';
import { findListing, type StoredListing } from '../storage/listings/listings.ts';
import { PageError } from '../texts/page-error.ts';
import type { ServiceTexts } from '../texts/texts.ts';
import type { DeliveryContext } from '../webhooks/attempt.ts';
import { textsOf } from './language.ts';
import { renderServicePage, type ServicePageContent } from './render-page.ts';
import type { MemberSessions, Visitor } from './session.ts';

export interface PageDependencies extends DeliveryContext {
  readonly sessions: MemberSessions;
  readonly log: Log;
  /** Every visitor may act as any member, for the sandbox only. Otherwise members sign in with a link. */
  readonly actAsMembers: boolean;
  /** New bots are invisible until an operator publishes them. */
  readonly approvesBots: boolean;
  /** The bans and limits of voting, reviewing, reporting, signing in and creating listings. */
  readonly admission: Admission;
  /** Null for votes without a challenge. */
  readonly challenge: VoteChallenge | null;
  /** Null without an application at Discord. */
  readonly discord: DiscordSignIn | null;
  readonly invites: DiscordInvites;
  readonly face: ServiceFace;
  /** The public URL of the service, without a trailing slash. */
  readonly origin: string;
  /** Wakes the webhook dispatcher, since a delivery was queued. */
  readonly queued: () => void;
}

/** The parameters in a path: `id` and `keyId` of `/dashboard/:id/keys/:keyId`. */
export type PathParameters<Path extends string> = Readonly<Record<ParameterNames<Path>, string>>;

type ParameterNames<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParameterNames<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

type AnyParameters = Request['params'];

/** A request with who has sent it, and when (ms since the epoch), and the texts in the visitor's language. */
export interface PageCall<Parameters extends AnyParameters = AnyParameters, Sender = Visitor> {
  readonly request: Request<Parameters>;
  readonly response: Response;
  readonly visitor: Sender;
  readonly now: number;
  readonly texts: ServiceTexts;
}

/** A request of the owner or a co-owner of the listing. */
export interface OwnerCall<Parameters extends AnyParameters = AnyParameters> extends PageCall<Parameters> {
  readonly listing: StoredListing;
  readonly role: ListingRole;
}

/** Adds pages and forms to a router. */
export class PageRoutes {
  readonly router = Router();
  readonly #dependencies: PageDependencies;

  constructor(dependencies: PageDependencies) {
    this.#dependencies = dependencies;
  }

  page<Path extends string, Parameters extends AnyParameters = PathParameters<Path>>(
    path: Path,
    read: (call: PageCall<Parameters, Visitor | null>) => ServicePageContent | Promise<ServicePageContent>,
  ): void {
    const { sessions, clock, face } = this.#dependencies;
    this.router.get<Parameters>(path, async (request, response) => {
      const now = clock.now();
      const visitor = await sessions.visitor(request, now);
      const call = { request, response, visitor, now, texts: textsOf(request) };
      renderServicePage(request, response, { face, visitor, ...(await read(call)) });
    });
  }

  /**
   * A page for members. Others are sent to sign in, and from there to `next`, or back.
   * @param read returns null if it has sent the response
   */
  memberPage<Path extends string, Parameters extends AnyParameters = PathParameters<Path>>(
    path: Path,
    read: (call: PageCall<Parameters>) => Promise<ServicePageContent | null>,
    next?: string,
  ): void {
    const { sessions, clock, face } = this.#dependencies;
    this.router.get<Parameters>(path, async (request, response) => {
      const now = clock.now();
      const visitor = await sessions.visitor(request, now);
      if (visitor === null) {
        return response.redirect(303, `/sign-in?next=${encodeURIComponent(next ?? request.path)}`);
      }
      const content = await read({ request, response, visitor, now, texts: textsOf(request) });
      if (content !== null) renderServicePage(request, response, { face, visitor, ...content });
    });
  }

  /**
   * A form that a member sends from a page.
   * @param act returns the path to open next, or null if it has sent the response
   */
  form<Path extends string, Parameters extends AnyParameters = PathParameters<Path>>(
    path: Path,
    act: (call: PageCall<Parameters>) => Promise<string | null>,
  ): void {
    const { sessions, clock } = this.#dependencies;
    this.router.post<Parameters>(path, async (request, response) => {
      const now = clock.now();
      const visitor = await sessions.visitor(request, now);
      if (visitor === null || !hasFormToken(request.body, visitor)) throw sessionEnded();
      const next = await act({ request, response, visitor, now, texts: textsOf(request) });
      if (next !== null) response.redirect(303, next);
    });
  }
}

/** The error of a form that was sent without a session, or with a wrong CSRF token. */
export function sessionEnded(): PageError {
  return new PageError(403, ({ text }) => text('errors.sessionEnded'));
}

export function pageNotFound(): PageError {
  return new PageError(404, ({ text }) => text('errors.notFound'));
}

/** The listing with the id in a path; null for what is no id, too. */
export async function findPathListing(database: Database, id: string): Promise<StoredListing | null> {
  return isSnowflake(id) ? findListing(database, id) : null;
}

/** A listing that this visitor may see: a published one, one that is the visitor's to edit, or any for an operator. @throws HttpError 404 */
export async function requireVisibleListing(
  database: Database,
  kind: ServiceListingKind,
  id: string,
  visitor: Visitor | null,
): Promise<StoredListing> {
  const listing = await findPathListing(database, id);
  if (listing?.kind !== kind || !(await isVisible(database, listing, visitor))) throw pageNotFound();
  return listing;
}

export async function isVisible(database: Database, listing: StoredListing, visitor: Visitor | null): Promise<boolean> {
  if (listing.state === 'published') return true;
  if (listing.state === 'deleting' || visitor === null) return false;
  return visitor.isOperator || (await findRole(database, listing, visitor.userId)) !== null;
}

/** The id of a row in a path. @throws HttpError 404 */
export function readRowId(text: string): number {
  const id = Number(text);
  if (!/^\d{1,15}$/.test(text) || id === 0) throw pageNotFound();
  return id;
}
