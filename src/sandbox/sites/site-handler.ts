import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { messageOf } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import { isCrossSite } from '../../platform/web/cross-site.ts';
import { isOwnHost } from '../../platform/web/host.ts';
import { equalSecrets } from '../../platform/web/session-cookie.ts';
import { readBytes } from '../discord/body.ts';
import type { ImitatedSite } from './imitated-site.ts';
import { type SitePageContext, sendSitePage, submitForm } from './site-page.ts';

/** Of a form (bytes). */
const maxFormBytes = 10_000;

/** Answers at the paths of the sites: their vote pages, and the API of top.gg. */
export function createSiteHandler(
  all: readonly ImitatedSite[],
  { log, ...context }: SitePageContext & { readonly log: Log },
): RequestListener {
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, headers, url = '/' } = request;
    const { pathname, searchParams: query } = new URL(url, 'http://localhost');
    const topgg = all.find(({ site }) => site.id === 'topgg');
    const api = votesPath.exec(pathname);
    if (api !== null && topgg !== undefined) {
      const [status, body] = answerTopgg(topgg, headers.authorization ?? '', api.groups?.['user'], query);
      return sendJson(response, status, body);
    }
    const imitated = all.find(({ page }) => new URL(page).pathname === pathname);
    if (imitated === undefined) return sendJson(response, 404, { error: 'The sandbox does not imitate this.' });
    if (!isOwnHost(headers.host) || (method === 'POST' && isCrossSite(headers)))
      return sendJson(response, 403, { error: 'Only a page of this machine may send this request.' });
    const shown = { userId: query.get('as') ?? '', notice: null };
    if (method !== 'POST') return sendSitePage(response, imitated, shown, context);
    const form = new URLSearchParams((await readBytes(request, maxFormBytes))?.toString('utf8'));
    sendSitePage(response, imitated, await submitForm(imitated, form, context), context);
  }

  return (request, response) => {
    handle(request, response).catch((error: unknown) => {
      log.error({ reason: messageOf(error) }, 'a request to an imitated site failed');
      if (response.headersSent) response.destroy();
      else sendJson(response, 500, { error: 'The request failed. See the log of the sandbox.' });
    });
  };
}

const votesPath = /^\/api\/v1\/projects\/@me\/votes(?:\/(?<user>\d+))?$/;

/** Status and body: the vote of a member that counts, or without one all votes since `startDate`. */
function answerTopgg(
  imitated: ImitatedSite,
  authorization: string,
  userId: string | undefined,
  query: URLSearchParams,
): [status: number, body: object] {
  const { site, stored } = imitated;
  if (!equalSecrets(authorization, `Bearer ${stored.key}`)) return [401, { title: 'Unauthorized' }];
  const toJson = ({ at }: { readonly at: number }) => ({
    created_at: new Date(at).toISOString(),
    expires_at: new Date(at + site.cooldownMs).toISOString(),
    weight: 1,
  });
  if (userId !== undefined) {
    const vote = imitated.findVote(userId);
    return vote === undefined ? [404, { title: 'Not Found' }] : [200, toJson(vote)];
  }
  const since = Date.parse(query.get('startDate') ?? '') || 0;
  const votes = stored.votes.filter(({ at }) => at >= since);
  return [200, { data: votes.map((vote) => ({ ...toJson(vote), user_id: '1', platform_id: vote.userId })) }];
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}
