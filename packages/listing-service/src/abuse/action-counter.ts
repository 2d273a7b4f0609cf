import { second } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import type { ServiceContext } from '../context.ts';
import type { Sql } from '../storage/database.ts';

/** How often counts are stored, and how old the counts of other processes may be (ms). */
const syncIntervalMs = 1 * second;
/** Windows that are remembered. Those without a change are forgotten first. */
const maxWindows = 50_000;
const maxRowsPerStatement = 500;

/** How many times something may be done in a window that begins at a multiple of its length. */
export interface ActionLimit {
  readonly limit: number;
  readonly windowMs: number;
}

export interface CountedSubject extends ActionLimit {
  /** A hash that contains what is counted. */
  readonly subject: string;
}

interface Window {
  readonly subject: string;
  readonly start: number;
  readonly end: number;
  /** In the database, at `readAt` (ms, monotonic). */
  stored: number;
  readAt: number;
  /** Counted here and not stored yet. */
  pending: number;
}

/**
 * Counts actions in windows of time, together with the other processes of the service. Counts are in memory and stored
 * together once a second, so an action costs no commit: a process that is killed forgets a second, and each process
 * notices a second late what another has counted. That is enough against abuse; the limit of API keys is exact.
 */
export class ActionCounter {
  readonly #context: ServiceContext;
  readonly #windows = new Map<string, Window>();
  readonly #stopping = new AbortController();
  readonly #query;
  #storing: Promise<void> | null = null;

  constructor(context: ServiceContext) {
    this.#context = context;
    this.#query = context.database
      .selectFrom('action_counts')
      .select('actions')
      .where('subject', '=', '')
      .where('window_start', '=', 0)
      .compile();
  }

  /**
   * Counts an action for every subject, or for none if one has reached its limit.
   * @returns null if it was counted, or the subject with the end of its window (ms since the epoch)
   */
  async count(
    subjects: readonly CountedSubject[],
    now: number,
  ): Promise<{ readonly exceeded: CountedSubject; readonly until: number } | null> {
    const current: Window[] = [];
    for (const subject of subjects) current.push(await this.#currentWindow(subject, now));
    for (const [index, { stored, pending, end }] of current.entries()) {
      const exceeded = subjects[index];
      if (exceeded !== undefined && stored + pending >= exceeded.limit) return { exceeded, until: end };
    }
    for (const window of current) {
      window.pending += 1;
      this.#windows.set(`${window.subject} ${window.start}`, window);
    }
    this.#storeSoon();
    return null;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#storing;
    await this.#store();
  }

  async #currentWindow({ subject, windowMs }: CountedSubject, now: number): Promise<Window> {
    const start = now - (now % windowMs);
    const key = `${subject} ${start}`;
    const known = this.#windows.get(key);
    if (known !== undefined && this.#context.clock.monotonic() - known.readAt < syncIntervalMs) return known;
    const [row] = await this.#context.database.read(this.#query, [subject, start]);
    const window = this.#windows.get(key) ?? {
      subject,
      start,
      end: start + windowMs,
      stored: 0,
      readAt: 0,
      pending: 0,
    };
    window.stored = Math.max(window.stored, Number(row?.actions ?? 0));
    window.readAt = this.#context.clock.monotonic();
    this.#windows.set(key, window);
    return window;
  }

  /** Stores the counts after a second, unless that is planned already. */
  #storeSoon(): void {
    this.#storing ??= this.#context.clock.sleep(syncIntervalMs, this.#stopping.signal).then(async () => {
      this.#storing = null;
      await this.#store();
    });
  }

  async #store(): Promise<void> {
    const changed = [...this.#windows.values()].filter(({ pending }) => pending > 0);
    try {
      for (let first = 0; first < changed.length; first += maxRowsPerStatement) {
        await storeCounts(this.#context.database, changed.slice(first, first + maxRowsPerStatement));
      }
    } catch (thrown) {
      this.#context.log.warn({ error: messageOf(thrown) }, 'the counts of votes and other actions could not be stored');
      if (!this.#stopping.signal.aborted) this.#storeSoon();
    }
    const now = this.#context.clock.now();
    for (const [key, window] of this.#windows) {
      if (window.pending === 0 && (window.end <= now || this.#windows.size > maxWindows)) this.#windows.delete(key);
    }
  }
}

/** Adds the counts of these windows to the stored ones, in an order in which two processes cannot lock each other. */
async function storeCounts(sql: Sql, changed: readonly Window[]): Promise<void> {
  const sorted = changed.toSorted((a, b) =>
    a.subject < b.subject ? -1 : a.subject > b.subject ? 1 : a.start - b.start,
  );
  const counted = sorted.map(({ pending }) => pending);
  const rows = await sql
    .insertInto('action_counts')
    .values(
      sorted.map(({ subject, start, end, pending }) => ({
        subject,
        window_start: start,
        actions: pending,
        expires_at: end,
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(['subject', 'window_start']).doUpdateSet(({ eb, ref }) => ({
        actions: eb('action_counts.actions', '+', ref('excluded.actions')),
      })),
    )
    .returning(['subject', 'window_start', 'actions'])
    .execute();
  const stored = new Map(rows.map((row) => [`${row.subject} ${row.window_start}`, Number(row.actions)]));
  for (const [index, window] of sorted.entries()) {
    window.pending -= counted[index] ?? 0;
    window.stored = stored.get(`${window.subject} ${window.start}`) ?? window.stored;
  }
}
