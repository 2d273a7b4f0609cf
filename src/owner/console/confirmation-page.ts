import { type Html, html } from '../../pages/html.ts';
import { counted } from '../../pages/moments.ts';
import type { AskedCorrection } from '../asked.ts';
import { formToken } from './layout.ts';
import { foreign, signed } from './marks.ts';
import type { Session } from './session.ts';

/**
 * Asks once more before an account is corrected.
 * @param idempotencyKey stands in the form, so that sending it twice corrects once
 */
export function confirmationPage(
  { userId, credits: balance }: { readonly userId: string; readonly credits: number },
  { credits, reason }: AskedCorrection,
  { up, session, idempotencyKey }: { up: string; session: Session; idempotencyKey: string },
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
