import { z } from 'zod';
import { type Html, html } from './html.ts';
import { equalSecrets } from './session-cookie.ts';

const formWithToken = z.object({ token: z.string() });

/** The hidden field with the CSRF token, for every form of a session. */
export function formTokenField({ formToken }: { readonly formToken: string }): Html {
  return html`<input type="hidden" name="token" value="${formToken}">`;
}

/** True if a form's body has the CSRF token of this session. */
export function hasFormToken(body: unknown, { formToken }: { readonly formToken: string }): boolean {
  const form = formWithToken.safeParse(body);
  return form.success && equalSecrets(form.data.token, formToken);
}
