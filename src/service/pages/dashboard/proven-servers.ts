import { formTokenField } from '../../../platform/web/form-token.ts';
import { type Html, html } from '../../../platform/web/html.ts';
import type { ProvenGuild } from '../../storage/members/proven-guilds.ts';
import { isolated } from '../listing-parts.ts';
import type { Visitor } from '../session.ts';

/** A server that the visitor has proven to manage, and whose listing it has; null if it is not listed. */
export interface ProvenServer {
  readonly guild: ProvenGuild;
  readonly listedBy: 'visitor' | 'another' | null;
}

/** The servers that Discord has confirmed, each with what the visitor can do: add, edit or take over its listing. */
export function provenServers(servers: readonly ProvenServer[], visitor: Visitor): Html {
  const proveLink = (text: string) =>
    html`<a class="button second" href="/sign-in/discord/servers?next=/dashboard/new">${text}</a>`;
  if (servers.length === 0) {
    return html`<p>Discord tells this service which servers you own or manage, after you allow it. They are forgotten after an hour.</p>
<p>${proveLink('Show my servers')}</p>`;
  }
  const unlisted = servers.filter(({ listedBy }) => listedBy === null);
  return html`${unlisted.length > 0 && addForm(unlisted, visitor)}
${unlisted.length === 0 && html`<p class="empty">All of your servers are listed here.</p>`}
${listedServers(servers, visitor)}
<p class="line">${proveLink('Read my servers again')}</p>`;
}

function addForm(servers: readonly ProvenServer[], visitor: Visitor): Html {
  return html`<form class="stack" method="post" action="/dashboard/new/server">${formTokenField(visitor)}
  <label>Server <select name="id" required>${servers.map(({ guild }) => html`<option value="${guild.id}" dir="auto">${guild.name}</option>`)}</select></label>
  <button>Add server</button></form>`;
}

function listedServers(servers: readonly ProvenServer[], visitor: Visitor): Html | null {
  const listed = servers.filter(({ listedBy }) => listedBy !== null);
  if (listed.length === 0) return null;
  return html`<h3>Already listed</h3>
<ul>${listed.map((server) => html`<li>${listedServer(server, visitor)}</li>`)}</ul>`;
}

function listedServer({ guild, listedBy }: ProvenServer, visitor: Visitor): Html {
  if (listedBy === 'visitor') return html`<a href="/dashboard/${guild.id}">${isolated(guild.name)}</a>`;
  if (!guild.isOwner) {
    return html`${isolated(guild.name)}: listed by another member. Only the owner of the server can take over its listing.`;
  }
  return html`<details><summary>${isolated(guild.name)}: listed by another member</summary>
<p>You own this server, so you can take over its listing with its votes and reviews. Its API keys are revoked and its
webhooks removed, because the member who has listed it knows them.</p>
<form method="post" action="/dashboard/new/take-over">${formTokenField(visitor)}<input type="hidden" name="id" value="${guild.id}">
<button class="danger-solid">Take over the listing</button></form></details>`;
}
