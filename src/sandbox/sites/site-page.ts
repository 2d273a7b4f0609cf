import type { ServerResponse } from 'node:http';
import type { Clock } from '../../platform/clock.ts';
import { formatWait } from '../../platform/durations.ts';
import { html } from '../../platform/web/html.ts';
import { sendSimplePage } from '../simple-page.ts';
import type { ImitatedSite } from './imitated-site.ts';

export interface SitePageContext {
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
export function sendSitePage(
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
export async function submitForm(
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
