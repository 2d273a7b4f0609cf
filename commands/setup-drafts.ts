import { BoundedMap } from '../src/platform/bounded-map.ts';
import type { Clock } from '../src/platform/clock.ts';
import { minute } from '../src/platform/durations.ts';

/** The fields of a submitted form by name. */
type Fields = Readonly<Record<string, string | readonly string[] | boolean>>;

/** How long an edit can be continued (ms): as long as Discord's components of the message usually are. */
const lifetimeMs = 15 * minute;
const maxDrafts = 500;

/** What members entered into forms that could not be saved. In the memory of this process. */
export interface SetupDrafts {
  put(key: string, fields: Fields): void;
  /** Null if there is none, or it is too old. */
  find(key: string): Fields | null;
}

export function createSetupDrafts(clock: Pick<Clock, 'monotonic'>): SetupDrafts {
  const drafts = new BoundedMap<{ readonly fields: Fields; readonly until: number }>(maxDrafts);
  return {
    put: (key, fields) => void drafts.set(key, { fields, until: clock.monotonic() + lifetimeMs }),
    find(key) {
      const draft = drafts.get(key);
      if (draft === undefined || draft.until < clock.monotonic()) return null;
      return draft.fields;
    },
  };
}
