import type { Locale } from '@tallyhook/platform/texts/locale';
import type { Html } from '@tallyhook/platform/web/html';
import type { ServiceListingKind } from '../listing/listing.ts';
import type { ServiceMember } from '../storage/members/members.ts';

/** The vote that a challenge protects. */
export interface ChallengeContext {
  readonly listing: { readonly kind: ServiceListingKind; readonly id: string; readonly name: string };
  readonly member: ServiceMember;
  /** The client's IP address, by `trustProxy`. */
  readonly address: string;
  /** ms since the epoch. */
  readonly now: number;
  /** The language of the page. */
  readonly locale: Locale;
}

/**
 * A check in the vote form that a bot does not pass, such as a captcha. The example uses one of another site, which needs
 * its scripts and frames in the Content-Security-Policy.
 * @example
 * ```ts
 * import { html, startService, type VoteChallenge } from 'tallyhook/sandbox';
 *
 * function captcha(siteKey: string, secret: string): VoteChallenge {
 *   const site = 'https://captcha.example';
 *   return {
 *     name: 'captcha',
 *     contentSecurityPolicy: { 'script-src': [site], 'frame-src': [site], 'connect-src': [site] },
 *     render: () => html`<div class="captcha" data-sitekey="${siteKey}"></div>
 *       <script src="${site}/widget.js" async></script>`,
 *     async verify(form, { address }) {
 *       const body = new URLSearchParams({ secret, response: form['captcha-response'] ?? '', remoteip: address });
 *       const signal = AbortSignal.timeout(5_000);
 *       const response = await fetch(`${site}/verify`, { method: 'POST', body, signal });
 *       const result = (await response.json()) as { success?: boolean };
 *       return result.success === true;
 *     },
 *   };
 * }
 *
 * const service = await startService({ allowLoopbackTargets: true, challenge: captcha('site key', 'secret') });
 * await service.stop();
 * ```
 */
export interface VoteChallenge {
  readonly name: string;
  /** Directives with the sources that the pages of listings need in addition: `{ 'script-src': ["'self'"] }`. */
  readonly contentSecurityPolicy?: Readonly<Record<string, readonly string[]>>;
  /** Scripts and stylesheets that the service serves, by path: `{ '/assets/check.js': new URL(…) }`. */
  readonly assets?: Readonly<Record<string, URL>>;
  /** The part of the vote form. It contains no form and no button. If it throws, the page says so in its place. */
  render(context: ChallengeContext): Html | Promise<Html>;
  /**
   * True if the sent form passes. Called once per vote. If it throws, the member is asked to try again later.
   * @param form the fields with a single value
   */
  verify(form: Readonly<Record<string, string>>, context: ChallengeContext): Promise<boolean>;
}
