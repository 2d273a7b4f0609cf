import { day } from '@tallyhook/platform/durations';
import { type Locale, localeFor } from '@tallyhook/platform/texts/locale';
import { readCookie, setCookie } from '@tallyhook/platform/web/session-cookie';
import type { Request, RequestHandler } from 'express';
import { languages, type ServiceTexts, serviceTextsIn } from '../texts/texts.ts';

export const languageParameter = 'lang';
const cookieName = 'tallyhook_language';

/** The texts of a request: in the language that the visitor has chosen, otherwise in that of the browser. */
export function textsOf(request: Request): ServiceTexts {
  const chosen = readChoice(request) ?? readCookie(request.headers.cookie, cookieName);
  return serviceTextsIn(localeFor(chosen, ...request.acceptsLanguages().slice(0, 10)));
}

function readChoice({ query }: Request): Locale | undefined {
  return languages.find((locale) => locale === query[languageParameter]);
}

export function rememberLanguage({ secure }: { readonly secure: boolean }): RequestHandler {
  return (request, response, next) => {
    const value = readChoice(request);
    const cookie = { name: cookieName, lifetimeMs: 365 * day, sameSite: 'lax', path: '/', secure } as const;
    if (value !== undefined) setCookie(response, { ...cookie, value });
    next();
  };
}
