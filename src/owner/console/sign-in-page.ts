import { type Html, html } from '../../web/html.ts';

/** @param next where the owner wanted to go, a path within the console */
export function signInPage(next: string, fault: string | null): Html {
  return html`<div class="narrow">
<h1>Sign in</h1>
${fault && html`<p class="notice bad" role="alert" id="fault">${fault}</p>`}
<form class="card stack" method="post" action="sign-in">
  <input type="hidden" name="next" value="${next}">
  <input type="text" name="username" value="owner" autocomplete="username" hidden>
  <label for="owner-token">Owner token</label>
  <input id="owner-token" type="password" name="ownerToken" required autofocus autocomplete="current-password" maxlength="500"${fault && html` aria-describedby="fault" aria-invalid="true"`}>
  <p class="quiet">It is the value of <code>OWNER_TOKEN</code> in the settings. You stay signed in for two hours.</p>
  <button>Sign in</button>
</form>
</div>`;
}
