import { formTokenField } from '../../../platform/web/form-token.ts';
import { type Html, html } from '../../../platform/web/html.ts';
import type { ServiceListingKind } from '../../listing/listing.ts';
import type { Visitor } from '../session.ts';
import { type ProvenServer, provenServers } from './proven-servers.ts';

export interface CreateView {
  readonly visitor: Visitor;
  /** The servers that the visitor has proven to manage; null if nobody can prove it. */
  readonly provenServers: readonly ProvenServer[] | null;
  /** Whether the visitor may add any server by its id. */
  readonly acceptsAnyServer: boolean;
  /** Whether the operator approves new bots. */
  readonly approvesBots: boolean;
}

/** The forms that add a server or a bot. */
export function createPage(view: CreateView): Html {
  const { visitor, acceptsAnyServer, approvesBots } = view;
  return html`<h1>Add a server or bot</h1>
<section class="card" aria-labelledby="add-server"><h2 id="add-server">Add a server</h2>
${view.provenServers && provenServers(view.provenServers, visitor)}
${acceptsAnyServer && view.provenServers && html`<h3>Any server, for testing</h3>`}
${acceptsAnyServer && idForm('server', visitor)}
${!view.provenServers && !acceptsAnyServer && html`<p>Ask the operator of this service to add your server.</p>`}</section>
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
