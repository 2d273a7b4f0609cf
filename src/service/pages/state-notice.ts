import { type Html, html } from '../../platform/web/html.ts';
import type { StoredListing } from '../storage/listings/listings.ts';
import { isolated } from './listing-parts.ts';

/** Tells the owner why nobody else sees a listing; null if it is published. */
export function stateNotice({ state, stateReason, kind }: StoredListing): Html | null {
  if (state === 'published') return null;
  if (state === 'pending') {
    return html`<div class="notice plain"><p>This ${kind} waits for the approval of the operator. Others do not see it.</p></div>`;
  }
  if (state === 'deleting') return html`<div class="notice bad"><p>This ${kind} is being deleted.</p></div>`;
  return html`<div class="notice bad"><p>The operator has hidden this ${kind}. Others do not see it.</p>
  ${stateReason && html`<p>Reason: ${isolated(stateReason)}</p>`}</div>`;
}
