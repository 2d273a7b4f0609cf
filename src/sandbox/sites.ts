import { randomBytes } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { type Clock, systemClock } from '@tallyhook/platform/clock';
import { formatWait, second } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import { readBytes } from '@tallyhook/platform/http/read-bytes';
import { createHttpServer } from '@tallyhook/platform/http/server';
import { openJsonFile, readJsonFile } from '@tallyhook/platform/json-file';
import type { Log } from '@tallyhook/platform/log';
import { isCrossSite } from '@tallyhook/platform/web/cross-site';
import { isOwnHost } from '@tallyhook/platform/web/host';
import { html } from '@tallyhook/platform/web/html';
import { equalSecrets } from '@tallyhook/platform/web/session-cookie';
import { sendJson, sendSimplePage } from '@tallyhook/platform/web/simple-page';
import type { Listing } from 'listing-service';
import { z } from 'zod';
import { signDelivery } from '../webhook/sites/authenticate.ts';
import { sites } from '../webhook/sites/index.ts';
import type { Site } from '../webhook/sites/site.ts';
import type { SandboxListings } from './listing-service.ts';
import type { TimelineLine, VoteResult } from './page/ports.ts';

/** Longest body of a form (bytes). */
const maxFormBytes = 10_000;

function createSiteHandler(
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

const storedSiteSchema = z.object({
  /** The token of its API. */
  key: z.string(),
  /** Signs its deliveries, or is in them. */
  secret: z.string(),
  /** Where it delivers votes; null until the owner has entered an address. */
  webhook: z.string().nullable(),
  /** Oldest first; `at`: ms since the epoch, sandbox clock. */
  votes: z.array(z.object({ userId: z.string(), at: z.number() })),
});

export type StoredSite = z.infer<typeof storedSiteSchema>;
type SiteVote = StoredSite['votes'][number];

const maxVotes = 1_000;
const timeoutMs = 5 * second;

const randomHex = () => randomBytes(24).toString('hex');

interface ImitatedSiteOptions {
  readonly site: Site;
  readonly listing: Pick<Listing, 'kind' | 'id' | 'name'>;
  /** From an earlier run. */
  readonly stored: StoredSite | undefined;
  readonly clock: Clock;
  /** Called after each change of what is to be stored. */
  readonly onChange: () => void;
  /** Called when the receiver cannot be reached, with the reason. */
  readonly onUndelivered: (reason: string) => void;
}

/** One listing on a listing site that the sandbox imitates: its votes, and its deliveries as the site signs them. */
export class ImitatedSite {
  readonly site: Site;
  readonly listing: ImitatedSiteOptions['listing'];
  /**
   * The name of the listing in the settings of a bot that knows it from the start, and in the address of its webhook.
   */
  readonly name: string;
  /** The vote page on the real site. */
  readonly page: string;
  readonly stored: StoredSite;
  readonly #options: ImitatedSiteOptions;

  constructor(options: ImitatedSiteOptions) {
    const { site, listing, stored } = options;
    this.#options = options;
    this.site = site;
    this.listing = listing;
    this.name = listing.name.toLowerCase().replaceAll(' ', '-');
    this.page = site.votePage({ ...listing, slug: null }) ?? '';
    const secret = site.id === 'topgg' ? `whs_${randomHex()}` : randomHex();
    this.stored = stored ?? { key: randomHex(), secret, webhook: null, votes: [] };
  }

  /** Votes as the site counts it, and sends the delivery unless the listing has no webhook. */
  castVote(userId: string): VoteResult {
    const { stored, nextVoteAt } = this;
    const at = this.#options.clock.now();
    const dueAt = nextVoteAt(userId);
    if (dueAt !== null) return { outcome: 'too_soon', nextVoteAt: dueAt };
    stored.votes = [...stored.votes, { userId, at }].slice(-maxVotes);
    this.#options.onChange();
    void this.#deliver(userId, at, false);
    return { outcome: 'recorded', nextVoteAt: at + this.site.cooldownMs, isDelivered: stored.webhook !== null };
  }

  /** The vote of a member that still counts. */
  findVote(userId: string): SiteVote | undefined {
    const last = this.stored.votes.findLast((vote) => vote.userId === userId);
    return last && this.#options.clock.now() < last.at + this.site.cooldownMs ? last : undefined;
  }

  /** When the member may vote again (ms since the epoch); null for now. */
  readonly nextVoteAt = (userId: string): number | null => {
    const vote = this.findVote(userId);
    return vote === undefined ? null : vote.at + this.site.cooldownMs;
  };

  setWebhook(webhook: string | null, secret = this.stored.secret): void {
    Object.assign(this.stored, { webhook, secret });
    this.#options.onChange();
  }

  /** Sends the test of the site, as when its owner presses "Send test". */
  async sendTest(userId: string): Promise<void> {
    await this.#deliver(userId, this.#options.clock.now(), true);
  }

  async #deliver(userId: string, at: number, isTest: boolean): Promise<void> {
    const { site, listing, stored } = this;
    const { clock, onUndelivered } = this.#options;
    if (stored.webhook === null) return;
    const id = `${at}${stored.votes.length}`;
    const content = site.write({ kind: listing.kind, targetId: listing.id, userId, at, id, isTest });
    const { headers, body } = signDelivery(site.schemes[0], JSON.stringify(content), stored.secret, clock.now());
    try {
      await fetch(stored.webhook, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body,
        signal: AbortSignal.timeout(timeoutMs),
      });
    } catch (error) {
      onUndelivered(messageOf(error));
    }
  }
}

/** A site with signatures that says who has voted, and one with a token that does not; what is listed on each. */
const imitated = { topgg: 'bot', disurl: 'server' } as const;

const stateSchema = z.object({ version: z.literal(1), sites: z.record(z.string(), storedSiteSchema) });

/** Other listing sites that the sandbox imitates. */
export type ListingSites = Awaited<ReturnType<typeof startListingSites>>;

/** Starts the sites with the votes and webhooks of an earlier run. @throws TallyhookError `cannot_listen` */
export async function startListingSites(options: {
  host: string;
  /** Path of the file with their state. */
  path: string;
  listings: SandboxListings;
  people: readonly { readonly id: string; readonly username: string }[];
  clock: Clock;
  log: Log;
  emit: (line: TimelineLine) => void;
}) {
  const { host, path, listings, people, clock, log, emit } = options;
  const stored = readJsonFile(path, stateSchema, log)?.sites ?? {};
  const all = sites
    .filter((site): site is typeof site & { id: keyof typeof imitated } => Object.hasOwn(imitated, site.id))
    .map(
      (site) =>
        new ImitatedSite({
          site,
          listing: listings[imitated[site.id]],
          stored: stored[site.id],
          clock,
          onChange: () => file.scheduleWrite(),
          onUndelivered(reason) {
            const text = `${site.name} cannot deliver: ${reason}`;
            emit({ kind: 'line', at: clock.now(), source: 'service', tone: 'bad', text });
          },
        }),
    );
  const snapshot = () => ({ version: 1, sites: Object.fromEntries(all.map((each) => [each.site.id, each.stored])) });
  const file = openJsonFile({ path, snapshot, stopwatch: systemClock, log });
  const server = createHttpServer(createSiteHandler(all, { people, clock, log }));
  const { url } = await server.listen(host, 0);
  file.scheduleWrite();
  return {
    /** The value of SITE_API_URL. */
    url,
    all,
    /** The site whose deliveries come to a path of the bot. */
    find: (address: string) =>
      all.find(({ stored: { webhook } }) => webhook !== null && new URL(webhook).pathname === address),
    /** The local page in place of the site's vote page. */
    pageOf: ({ page }: ImitatedSite) => url + new URL(page).pathname,
    async stop() {
      await server.close();
      await file.stop();
    },
  };
}
