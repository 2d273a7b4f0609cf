import { type Html, html } from '../../web/html.ts';

export function memberSearch(up: string, id = ''): Html {
  return html`<form class="line" method="get" action="${up}users" role="search">
  <label for="member-id">Member's Discord id</label>
  <input id="member-id" name="id" value="${id}" required inputmode="numeric" pattern="[0-9]{1,20}" maxlength="20" title="1 to 20 digits" autocomplete="off">
  <button>Look up</button>
</form>`;
}

export function membersPage(up: string): Html {
  return html`<h1>Members</h1>
<section class="card"><p>In Discord, with <em>Settings → Advanced → Developer Mode</em> on, right-click a member and choose <em>Copy User ID</em>.</p>${memberSearch(up)}</section>`;
}
