import type { LookupErrorCode } from '../platform/error-codes.ts';
import type { Catalogue } from './catalogues.ts';
import type { Language } from './language.ts';
import { type Markup, markup } from './markup.ts';

/** Failed lookups that trying again does not help. */
const permanent: readonly LookupErrorCode[] = ['lookup_wrong_key_type', 'lookup_bad_request', 'lookup_key_refused'];
/** Failed lookups whose cause is what was asked for. */
const final: readonly LookupErrorCode[] = ['lookup_bad_parameter', 'lookup_not_found'];

/** What members see in place of a reply. `retry` is when to try again; null if unknown. */
export function failureTexts(messages: Catalogue['failure'], { text, texts }: Language) {
  const fixed = texts(messages);
  const tryAgain = (retry: Markup | null) =>
    retry === null ? fixed.retryLater : text(messages.retryAt, { time: retry });
  return {
    ...fixed,
    lookup: (code: LookupErrorCode, retry: Markup | null): Markup => {
      const problem = fixed.lookup[code];
      if (final.includes(code)) return problem;
      return markup`${problem} ${permanent.includes(code) ? fixed.needsOperator : tryAgain(retry)}`;
    },
    /** An unexpected error; `incident` is its id in the log. */
    incident: (incident: Markup) => text(messages.incident, { incident }),
    /** The database cannot be written at the moment. */
    notStored: (retry: Markup) => markup`${fixed.notStored} ${tryAgain(retry)}`,
    tooLate: (retry: Markup) => markup`${fixed.tooLate} ${tryAgain(retry)}`,
    /** `user` is a mention of the chosen bot. */
    isBot: (user: Markup) => text(messages.isBot, { user }),
    /** `setup` is a mention of the command. */
    noListing: (setup: Markup) => text(messages.noListing, { setup }),
  };
}
