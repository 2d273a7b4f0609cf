import { type Html, html } from '../../web/html.ts';
import type { ServiceMember } from '../storage/members.ts';

/** For the sandbox: act as any member. There is no password because there is nothing to protect. */
export function actAsPage(
  members: readonly (ServiceMember & { readonly owns: readonly string[] })[],
  next: string,
): Html {
  return html`<h1>Act as a member</h1>
<p>This service runs for trying things out. Choose who you want to be.</p>
<form class="card stack" method="post" action="/sign-in">
  <input type="hidden" name="next" value="${next}">
  <label>Member <select name="userId">${members.map(
    (member) =>
      html`<option value="${member.userId}">${member.username}${member.owns.length > 0 && `, owner of ${member.owns.join(' and ')}`}</option>`,
  )}</select></label>
  <button>Continue</button>
</form>`;
}

/** For hosting: sign-in links come from whoever runs the service. */
export function askForLinkPage(): Html {
  return html`<h1>Sign in</h1>
<p>This service has no accounts of its own. Ask whoever runs it for a sign-in link; it works once, for 15 minutes.</p>
<p class="quiet">Whoever runs it makes one with <code>tallyhook service sign-in --user ID --name NAME</code>.</p>`;
}

/** The link only opens this page: a chat program that looks at links ahead must not use it up. */
export function redeemPage(token: string): Html {
  return html`<h1>Sign in</h1>
<form class="card stack" method="post" action="/sign-in/${token}">
  <p>This link signs you in on this device.</p>
  <button>Sign me in</button>
</form>`;
}
