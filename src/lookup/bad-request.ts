import { LookupBadParameter, LookupBadRequest, type LookupError, LookupWrongKeyType } from './failures.ts';

/**
 * What a status 400 means for a question when its error text does not tell (document, sections 4, 5 and 7): an endpoint for one kind of key
 * without parameters has only `wrong key type`, one for both kinds only `bad parameter`.
 */
export type BadRequestMeaning = 'wrong key type' | 'bad parameter' | 'either';

/** The document leaves the error texts open ("not shown"), so only words that name the cause are looked for. */
const keyWords = /\bkeys?\b|\b(?:server|bot)s? only\b|\bonly (?:for )?(?:servers|bots)\b/i;
const parameterWords = /\b(?:parameters?|query|limit|sort|user ?ids?|numeric)\b/i;

/** The failure that a status 400 stands for: what the error text names, else what the question allows. */
export function badRequest(message: string, text: string, meaning: BadRequestMeaning): LookupError {
  switch (causeNamedIn(text) ?? meaning) {
    case 'wrong key type':
      return new LookupWrongKeyType(message);
    case 'bad parameter':
      return new LookupBadParameter(message);
    case 'either':
      return new LookupBadRequest(message);
  }
}

/** Null when the text names no cause or both. */
function causeNamedIn(text: string): BadRequestMeaning | null {
  const namesKey = keyWords.test(text);
  if (namesKey === parameterWords.test(text)) return null;
  return namesKey ? 'wrong key type' : 'bad parameter';
}
