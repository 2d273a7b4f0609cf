import { formatCount } from '../../platform/durations.ts';
import { formTokenField } from '../../platform/web/form-token.ts';
import { type Html, html } from '../../platform/web/html.ts';
import type { CorrectionRequest } from '../request-schemas.ts';
import { signedCredits, untrustedText } from './cells.ts';
import type { OwnerSession } from './session.ts';

/**
 * The confirmation before an account is corrected.
 * @param idempotencyKey is a field of the form, so that sending it twice corrects once
 */
export function confirmationPage(
  { userId, credits: balance }: { readonly userId: string; readonly credits: number },
  { credits, reason }: CorrectionRequest,
  { root, session, idempotencyKey }: { root: string; session: OwnerSession; idempotencyKey: string },
): Html {
  return html`<div class="narrow"><p class="trail"><a href="${root}users/${userId}">Member ${userId}</a></p>
<h1>Correct this account?</h1>
<section class="card"><dl class="facts">
<div><dt>member</dt><dd>${userId}</dd></div><div><dt>correction</dt><dd>${signedCredits(credits)}</dd></div>
<div><dt>balance</dt><dd>${formatCount(balance, 'credit')} → ${formatCount(balance + credits, 'credit')}</dd></div>
<div><dt>reason</dt><dd>${untrustedText(reason)}</dd></div></dl>
<form class="line" method="post" action="${root}users/${userId}/corrections">${formTokenField(session)}
<input type="hidden" name="credits" value="${credits}"><input type="hidden" name="reason" value="${reason}">
<input type="hidden" name="key" value="${idempotencyKey}">
<button>Confirm</button> <a href="${root}users/${userId}">Cancel</a></form></section></div>`;
}
