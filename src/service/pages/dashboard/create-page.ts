import { formTokenField } from '../../../web/form-token.ts';
import { type Html, html } from '../../../web/html.ts';
import type { ServiceListingKind } from '../../listing/listing.ts';
import type { ProvenGuild } from '../../storage/proven-guilds.ts';
import { isolated } from '../listing-parts.ts';
import type { Visitor } from '../session.ts';

export interface CreateView {
  readonly visitor: Visitor;
  /** The servers that the visitor has proven to manage and that are not listed. */
  readonly guilds: readonly ProvenGuild[];
  /** How the visitor adds a server: any id, only those proven on Discord, or not at all. */
  readonly servers: 'any' | 'proven' | 'operator';
  /** Whether the operator approves new bots. */
  readonly approvesBots: boolean;
}

/** The forms that add a server or a bot. */
export function createPage(view: CreateView): Html {
  const { visitor, servers, approvesBots } = view;
  return html`<h1>Add a server or bot</h1>
<section class="card" aria-labelledby="add-server"><h2 id="add-server">Add a server</h2>
${servers === 'any' && idForm('server', visitor)}
${servers === 'proven' && provenServers(view)}
${servers === 'operator' && html`<p>Ask the operator of this service to add your server.</p>`}</section>
<section class="card" aria-labelledby="add-bot"><h2 id="add-bot">Add a bot</h2>
${approvesBots && html`<p class="quiet">The operator approves each bot before others see it.</p>`}
${idForm('bot', visitor)}</section>`;
}

function idForm(kind: ServiceListingKind, visitor: Visitor): Html {
  return html`<form class="stack" method="post" action="/dashboard/new/${kind}">${formTokenField(visitor)}
  <label>Discord id of the ${kind} <input name="id" required inputmode="numeric" pattern="[0-9]{1,20}" maxlength="20" autocomplete="off"></label>
  <label>Name <input name="name" required maxlength="100" dir="auto"></label>
  <label>Description <textarea name="description" maxlength="2000" rows="3" dir="auto"></textarea></label>
  <button>Add ${kind}</button></form>`;
}

function provenServers({ visitor, guilds }: CreateView): Html {
  const proveLink = html`<a class="button second" href="/sign-in/discord/servers?next=/dashboard/new">Show my servers</a>`;
  if (guilds.length === 0) {
    return html`<p>Discord tells this service which servers you own or manage, after you allow it.</p><p>${proveLink}</p>`;
  }
  return html`<form class="stack" method="post" action="/dashboard/new/server">${formTokenField(visitor)}
  <label>Server <select name="id" required>${guilds.map((guild) => html`<option value="${guild.id}">${isolated(guild.name)}</option>`)}</select></label>
  <button>Add server</button></form>
  <p class="line">${proveLink}</p>`;
}
