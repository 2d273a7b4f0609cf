import type { Log } from '../platform/log.ts';
import type { LogThrottled } from './complaints.ts';
import type { LookupError, LookupErrorCode } from './failures.ts';

/** What does not pass by itself: the owner has to do something, or a newer version has to come. */
const standing: ReadonlySet<LookupErrorCode> = new Set([
  'lookup_key_refused',
  'lookup_wrong_key_type',
  'lookup_wrong_shape',
]);

/** Faults that stand until somebody sets them right. Each is told once, loudly, when it begins, and its end is told too. */
export interface ErrorReporter {
  /** A question about the topic failed. Returns whether the fault is one that stands, and so was told here. */
  failed(topic: string, failure: LookupError): boolean;
  /** A question about the topic was answered as it should be. */
  answered(topic: string): void;
  has(code: LookupErrorCode): boolean;
}

/**
 * `complain` tells the beginning of a fault; where it keeps silent because another one was told just before, it is asked again at the
 * next failure. `log` tells the end of what was told (info).
 */
export function createErrorReporter({ log, complain }: { log: Log; complain: LogThrottled }): ErrorReporter {
  const faults = new Map<string, { readonly code: LookupErrorCode; readonly told: boolean }>();

  function end(place: string): void {
    const fault = faults.get(place);
    faults.delete(place);
    if (fault?.told) log.info({ code: fault.code, resource: place }, 'the service answers again as it should');
  }

  return {
    failed(topic, { code, message, hint: cure }) {
      if (!standing.has(code)) return false;
      const place = placeOf(code, topic);
      const known = faults.get(place);
      if (known?.code === code && known.told) return true;
      faults.set(place, { code, told: complain('error', code, message, { cure, resource: topic }) });
      return true;
    },
    answered(topic) {
      end(everything);
      end(topic);
    },
    has: (code) => [...faults.values()].some((fault) => fault.code === code),
  };
}

/** A refused key is refused for all that could be asked. */
const everything = 'everything';

function placeOf(code: LookupErrorCode, topic: string): string {
  return code === 'lookup_key_refused' ? everything : topic;
}
