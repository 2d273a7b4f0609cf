import { messageOf } from '@tallyhook/platform/errors';
import { isSnowflake } from '@tallyhook/platform/snowflake';
import { defaultLocale, isEnglish } from '@tallyhook/platform/texts/locale';
import { hasFormToken } from '@tallyhook/platform/web/form-token';
import { HttpError } from '@tallyhook/platform/web/http-error';
import type { Request, RequestHandler, Response } from 'express';
import { partsOf } from '../../core/ledger/account.ts';
import type { DeliveryRecord, Records } from '../../core/records/records.ts';
import { type Texts, textsIn } from '../../texts/texts.ts';
import type { CommunityScope, OwnerCommunity } from '../communities.ts';
import type { OwnerContext } from '../context.ts';
import { consoleRoot } from './render-page.ts';
import type { OwnerSession, OwnerSessions, Visit } from './session.ts';

/** Redirects `/owner` to `/owner/`, since the overview's relative links need the slash. */
export const redirectToSlash: RequestHandler = ({ path, originalUrl }, response, next) => {
  const segment = path === '/' ? lastSegmentWithoutSlash(originalUrl) : null;
  if (segment === null) return next();
  response.redirect(303, `${segment}/`);
};

/** The last segment of a URL's path; null if the path ends in a slash. */
export function lastSegmentWithoutSlash(url: string): string | null {
  const [path = ''] = url.split('?', 1);
  return path.slice(path.lastIndexOf('/') + 1) || null;
}

type VisitHandler = (request: Request, response: Response, visit: Visit) => Promise<void> | void;

export interface SessionMiddleware {
  /** For pages. Without a session it redirects to the sign-in page. */
  requireSession(handler: VisitHandler): RequestHandler;
  /** For forms. Without a session or with a wrong CSRF token it responds with 403. */
  requireForm(handler: VisitHandler): RequestHandler;
}

/** @param everything the operator's context: below `/servers/:guildId`, handlers get the part of that community */
export function sessionMiddleware(sessions: OwnerSessions, everything: OwnerContext): SessionMiddleware {
  const { guilds, log } = everything;

  async function visitOf(session: OwnerSession, guildId: unknown): Promise<Visit> {
    const { member } = session;
    if (guildId === undefined && member === null) {
      return { ...session, context: everything, visitor: null, guildName: null };
    }
    const scope = isSnowflake(guildId) ? guilds.scopeOf(guildId) : null;
    const visitor = scope === null || member === null ? null : await findManager(scope.guildId, member.userId);
    // The same for a server without a community, so that nobody finds out which servers have one.
    if (scope === null || (member !== null && visitor === null)) throw notAllowed(member !== null);
    const details = await guilds.reader?.guild(scope.guildId).catch(() => null);
    return { ...session, context: scopeContext(everything, scope), visitor, guildName: details?.name ?? null };
  }

  async function findManager(guildId: string, userId: string): Promise<Visit['visitor']> {
    try {
      const found = await guilds.reader?.member(guildId, userId);
      return found?.isManager === true ? found : null;
    } catch (error) {
      log.warn({ guild: guildId, reason: messageOf(error) }, 'the permissions of a member could not be read');
      throw new HttpError(503, 'Discord does not say at the moment who manages this server. Please try again.', 15);
    }
  }

  return {
    requireSession: (handler) => async (request, response) => {
      const session = await sessions.find(request);
      if (session !== null) {
        return handler(request, response, await visitOf(session, request.params['guildId']));
      }
      const { guildId } = request.params;
      const next = `${typeof guildId === 'string' ? `servers/${guildId}/` : ''}${request.url.slice(1)}`;
      response.redirect(303, `${consoleRoot(request)}sign-in${next && `?next=${encodeURIComponent(next)}`}`);
    },
    requireForm: (handler) => async (request, response) => {
      const session = await findFormSession(sessions, request);
      return handler(request, response, await visitOf(session, request.params['guildId']));
    },
  };
}

export async function findFormSession(sessions: OwnerSessions, request: Request): Promise<OwnerSession> {
  const session = await sessions.find(request);
  if (session !== null && hasFormToken(request.body, session)) return session;
  throw new ConsoleError(403, ({ text }) => text('console.errors.sessionEnded'));
}

function notAllowed(isMember: boolean): HttpError {
  return isMember
    ? new ConsoleError(403, ({ text }) => text('console.errors.notManaged'))
    : new HttpError(404, 'No listing belongs to this server.');
}

/** An error that the console explains in every language. */
export class ConsoleError extends HttpError {
  readonly explain: (texts: Texts) => string;

  constructor(status: HttpError['status'], explain: (texts: Texts) => string, retryAfterSeconds: number | null = null) {
    super(status, explain(textsIn(defaultLocale)), retryAfterSeconds);
    this.explain = explain;
  }
}

/** In the language of the page; details that only English has are replaced by what the status says. */
export function explainError(error: HttpError, texts: Texts): string {
  if (error instanceof ConsoleError) return error.explain(texts);
  if (isEnglish(texts.locale)) return error.message;
  const { text } = texts;
  if (error.status === 500) return text('failure.needsOperator');
  if (error.status >= 500) return text('webPage.unavailable');
  const byStatus: Readonly<Record<number, string>> = {
    404: text('console.errors.notFound'),
    409: text('console.errors.conflict'),
    429: text('webPage.tooMany'),
  };
  return byStatus[error.status] ?? text('console.errors.invalid');
}

/** The part of the context that is one community's. Each property is stated, so that a new one has to be decided. */
function scopeContext(context: OwnerContext, scope: CommunityScope): OwnerContext {
  const { guildId, communityId } = scope;
  const records = scopeRecords(context.records, scope);
  const isListed = (name: string | null) => name !== null && scope.listings.includes(name);

  function own(): OwnerCommunity {
    const community = context.communities.at(guildId);
    const { standings } = community;
    return {
      ...community,
      standings: {
        async standing(userId, now) {
          // Those of the member are of all guilds.
          const [standing, grants] = await Promise.all([standings.standing(userId, now), records.grants(userId)]);
          return { ...standing, grants: standing.grants.filter(({ role }) => grants.some((own) => own.role === role)) };
        },
        summary: (userId, now) => standings.summary(userId, now),
        lastVotes: (userId) => standings.lastVotes(userId),
        leaderboard: (query, now) => standings.leaderboard(query, now),
      },
    };
  }

  return {
    scope,
    languages: context.languages,
    records,
    outbox: {
      requeue: async (id, now) => ((await records.effect(id)) === null ? 'unknown' : context.outbox.requeue(id, now)),
    },
    recorder: {
      async correct(correction, idempotencyKey) {
        if (correction.communityId !== communityId) throw otherCommunity();
        return context.recorder.correct(correction, idempotencyKey);
      },
    },
    sessions: context.sessions,
    stream: context.stream,
    communities: {
      all: () => [own()],
      at(id) {
        if (id !== null && id !== guildId) throw otherCommunity();
        return own();
      },
      of: async () => [own()],
    },
    rewards: {
      cards: context.rewards.cards.filter(({ isScoped }) => isScoped),
      votesPerDay: () => context.rewards.votesPerDay(scope),
      waitingOrders: () => context.rewards.waitingOrders(scope),
    },
    listings: () => context.listings().filter(({ name }) => isListed(name)),
    async replay(delivery) {
      if (!isListed(delivery.listing) || !isOfCommunity(delivery, scope)) throw otherCommunity();
      return context.replay(delivery);
    },
    alarms: {
      held: async () => (await context.alarms.held()).filter(({ listing }) => isListed(listing)),
      async decide(listing, decision) {
        if (!isListed(listing)) throw otherCommunity();
        return context.alarms.decide(listing, decision);
      },
    },
    reversals: {
      async preview(range) {
        if (!isListed(range.listing)) throw otherCommunity();
        return context.reversals.preview(range);
      },
      async reverse(range) {
        if (!isListed(range.listing)) throw otherCommunity();
        return context.reversals.reverse(range);
      },
    },
    signInLinks: undefined,
    ...(context.nextVotes && {
      nextVotes: async (userId: string) =>
        ((await context.nextVotes?.(userId)) ?? []).filter(({ listing }) => isListed(listing)),
    }),
    // The reasons are the operator's.
    health: async () =>
      Object.fromEntries(Object.entries(await context.health()).map(([name, { ready }]) => [name, { ready }])),
    budgets: async () => (await context.budgets()).filter(({ listing }) => isListed(listing)),
    nudge: context.nudge,
    namesIn: () => context.namesIn(scope),
    guilds: context.guilds,
    corrections: { authored: (query) => context.corrections.authored({ ...query, communityId }) },
    // Every page passes the guild of the scope.
    setup: context.setup,
    clock: context.clock,
    log: context.log,
  };
}

function scopeRecords(records: Records, scope: CommunityScope): Records {
  const { guildId, communityId, listings } = scope;
  const isListed = (name: string | null) => name !== null && listings.includes(name);

  const scoped: Records = {
    async deliveries({ listing = null, listings: some = null, ...query }) {
      const names = listings.filter((name) => (listing ?? name) === name && (some === null || some.includes(name)));
      return names.length === 0 ? [] : records.deliveries({ ...query, listings: names });
    },
    async delivery(id) {
      const delivery = await records.delivery(id);
      return delivery !== null && isListed(delivery.listing) && isOfCommunity(delivery, scope) ? delivery : null;
    },
    effects: (query) => records.effects({ ...query, only: scope }),
    effect: (id) => records.effect(id, scope),
    effectsOf: async (deliveryId) => ((await visible(deliveryId)) === null ? [] : records.effectsOf(deliveryId)),
    async entries(accountId, limit, before) {
      if (partsOf(accountId).communityId !== communityId) throw otherCommunity();
      return records.entries(accountId, limit, before);
    },
    async marks(accountId) {
      if (partsOf(accountId).communityId !== communityId) throw otherCommunity();
      return records.marks(accountId);
    },
    async recentBody(accountId) {
      if (partsOf(accountId).communityId !== communityId) throw otherCommunity();
      return records.recentBody(accountId);
    },
    entryOf: async (delivery) => ((await visible(delivery.id)) === null ? null : records.entryOf(delivery)),
    grants: async (userId) => (await records.grants(userId)).filter((grant) => grant.guildId === guildId),
    counts: () => Promise.reject(otherCommunity()),
    problems: () => records.problems(scope),
  };
  return scoped;

  async function visible(id: number | null): Promise<number | null> {
    return id === null || (await scoped.delivery(id)) === null ? null : id;
  }
}

/** A name may have been that of another one's listing when a secret of that one authenticated the delivery. */
function isOfCommunity({ origin }: Pick<DeliveryRecord, 'origin'>, { communityId }: CommunityScope): boolean {
  return origin === null || origin.every((identity) => identity.communityId === communityId);
}

function otherCommunity(): HttpError {
  return new HttpError(403, 'This belongs to another server.');
}
