import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Clock } from '@tallyhook/platform/clock';
import { formatWait } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import { readBytes } from '@tallyhook/platform/http/read-bytes';
import type { Log } from '@tallyhook/platform/log';
import { isCrossSite } from '@tallyhook/platform/web/cross-site';
import { isOwnHost } from '@tallyhook/platform/web/host';
import { html } from '@tallyhook/platform/web/html';
import { equalSecrets } from '@tallyhook/platform/web/session-cookie';
import { sendJson, sendSimplePage } from '@tallyhook/platform/web/simple-page';
import type { ImitatedSite } from './imitated-site.ts';

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

interface SitePageContext {
  /** Who can vote. */
  readonly people: readonly { readonly id: string; readonly username: string }[];
  readonly clock: Clock;
}

interface ShownState {
  /** Who is selected. */
  readonly userId: string;
  /** The result of the form that was sent. */
  readonly notice: string | null;
}

/** The vote page of the listing, and below it what its owner sets on the site. */
function sendSitePage(
  response: ServerResponse,
  { site, listing, stored }: ImitatedSite,
  { userId, notice }: ShownState,
  { people }: SitePageContext,
): void {
  const options = people.map(
    ({ id, username }) => html`<option value="${id}"${id === userId && html` selected`}>${username}</option>`,
  );
  const isToken = site.schemes[0].type === 'token';
  const body = html`<p class="quiet">An imitation of the vote page of ${site.name}, on this machine. Nobody is asked, and nothing is sent to the real site.</p>
${notice && html`<p class="notice" role="status">${notice}</p>`}
<form method="post">
<p><label>Vote as <select name="user">${options}</select></label></p>
<p class="decision"><button class="main" name="action" value="vote">Vote</button></p>
</form>
<details${(stored.webhook === null || notice === saved) && html` open`}><summary>For the owner: webhook and API</summary>
<form method="post">
<p><label>Webhook address <input name="webhook" type="url" value="${stored.webhook ?? ''}" placeholder="as /setup shows it"></label></p>
<p><label>Secret <input name="secret" required value="${stored.secret}"${!isToken && html` readonly`}></label></p>
${site.id === 'topgg' && html`<p class="quiet">API token: <code>${stored.key}</code></p>`}
<input type="hidden" name="user" value="${userId || (people[0]?.id ?? '')}">
<p class="decision"><button name="action" value="test">Send test</button> <button name="action" value="save">Save</button></p>
</form></details>`;
  sendSimplePage(response, `Vote for ${listing.name} on ${site.name}`, body);
}

const saved = 'Saved.';

/** Does what a form of the page asks for. */
async function submitForm(
  imitated: ImitatedSite,
  form: URLSearchParams,
  { people, clock }: SitePageContext,
): Promise<ShownState> {
  const [user] = people.filter(({ id }) => id === form.get('user'));
  if (user === undefined) return { userId: '', notice: 'Choose a member.' };
  const shown = (notice: string): ShownState => ({ userId: user.id, notice });
  switch (form.get('action')) {
    case 'vote': {
      const result = imitated.castVote(user.id);
      if (result.outcome === 'recorded') return shown(`${user.username} has voted. Thank you!`);
      if (result.outcome === 'refused') return shown(result.reason);
      return shown(`${user.username} can vote again in ${formatWait(result.nextVoteAt - clock.now())}.`);
    }
    case 'save': {
      const webhook = form.get('webhook') ?? '';
      if (webhook !== '' && !(/^https?:/.test(webhook) && URL.canParse(webhook)))
        return shown('The address must begin with http:// or https://.');
      imitated.setWebhook(webhook === '' ? null : webhook, form.get('secret') ?? '');
      return shown(saved);
    }
    case 'test':
      if (imitated.stored.webhook === null) return shown('Save an address first.');
      await imitated.sendTest(user.id);
      return shown('The test was sent.');
    default:
      return shown('Unknown action.');
  }
}
