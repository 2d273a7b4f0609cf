import { type Html, html } from '../../web/html.ts';
import { counted } from '../../web/relative-time.ts';
import type { CorrectionRequest } from '../request-schemas.ts';
import { foreign, signed } from './cells.ts';
import { formToken } from './layout.ts';
import type { OwnerSession } from './session.ts';

/**
 * Asks once more before an account is corrected.
 * @param idempotencyKey stands in the form, so that sending it twice corrects once
 */
export function confirmationPage(
  { userId, credits: balance }: { readonly userId: string; readonly credits: number },
  { credits, reason }: CorrectionRequest,
  { up, session, idempotencyKey }: { up: string; session: OwnerSession; idempotencyKey: string },
): Html {
  return html`<div class="narrow"><p class="trail"><a href="${up}users/${userId}">Member ${userId}</a></p>
<h1>Correct this account?</h1>
<section class="card"><dl class="facts">
<div><dt>member</dt><dd>${userId}</dd></div><div><dt>correction</dt><dd>${signed(credits)}</dd></div>
<div><dt>balance</dt><dd>${counted(balance, 'credit')} → ${counted(balance + credits, 'credit')}</dd></div>
<div><dt>reason</dt><dd>${foreign(reason)}</dd></div></dl>
<form class="line" method="post" action="${up}users/${userId}/corrections">${formToken(session)}
<input type="hidden" name="credits" value="${credits}"><input type="hidden" name="reason" value="${reason}">
<input type="hidden" name="key" value="${idempotencyKey}">
<button>Confirm</button> <a href="${up}users/${userId}">Cancel</a></form></section></div>`;
}
