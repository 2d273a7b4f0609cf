import type { Log } from '../log.ts';
import type { Complain } from './complaints.ts';
import type { LookupFailure, LookupFailureCode } from './failures.ts';

/** What does not pass by itself: the owner has to do something, or a newer version has to come. */
const standing: ReadonlySet<LookupFailureCode> = new Set([
  'lookup_key_refused',
  'lookup_wrong_key_type',
  'lookup_wrong_shape',
]);

/** Faults that stand until somebody sets them right. Each is told once, loudly, when it begins, and its end is told too. */
export interface StandingFaults {
  /** A question about the topic failed. Returns whether the fault is one that stands, and so was told here. */
  failed(topic: string, failure: LookupFailure): boolean;
  /** A question about the topic was answered as it should be. */
  answered(topic: string): void;
  has(code: LookupFailureCode): boolean;
}

/** `complain` tells the beginning of a fault, and keeps its own minute of silence; `log` tells the end (info). */
export function createStandingFaults({ log, complain }: { log: Log; complain: Complain }): StandingFaults {
  const faults = new Map<string, LookupFailureCode>();

  function end(place: string): void {
    const code = faults.get(place);
    if (code === undefined) return;
    faults.delete(place);
    log.info({ code, resource: place }, 'the service answers again as it should');
  }

  return {
    failed(topic, { code, message, cure }) {
      if (!standing.has(code)) return false;
      const place = placeOf(code, topic);
      if (faults.get(place) === code) return true;
      faults.set(place, code);
      complain('error', code, message, { cure, resource: topic });
      return true;
    },
    answered(topic) {
      end(everything);
      end(topic);
    },
    has: (code) => [...faults.values()].includes(code),
  };
}

/** A refused key is refused for all that could be asked. */
const everything = 'everything';

function placeOf(code: LookupFailureCode, topic: string): string {
  return code === 'lookup_key_refused' ? everything : topic;
}
