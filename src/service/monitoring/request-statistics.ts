/** Groups of requests. `unknown` are the paths below the API that are not in the document. */
export const endpointGroups = ['server', 'bot', 'votes', 'reviews', 'unknown', 'openapi', 'page'] as const;
export type EndpointGroup = (typeof endpointGroups)[number];

/** Upper bounds of the groups of durations (seconds). */
const durationBounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5] as const;

/** A counter that first appears with 1 has not increased for Prometheus, so the ones used in alerts start at 0. */
const alertedStatuses = [429, 500, 503].map((status) => [status, 0] as const);

/** The durations of the requests of a group (seconds). */
export interface DurationCounts {
  readonly group: EndpointGroup;
  /** The number of requests up to each bound, those of the lower bounds included. */
  readonly upTo: readonly { readonly bound: number; readonly count: number }[];
  readonly count: number;
  readonly sum: number;
}

interface Group {
  readonly statuses: Map<number, number>;
  readonly durations: number[];
  seconds: number;
}

/** Counts responses in plain numbers: what metrics usually cost is too much for a request that takes 50 µs. */
export class RequestStatistics {
  readonly #groups = Object.fromEntries(
    endpointGroups.map((group) => [group, { statuses: new Map(alertedStatuses), durations: [0], seconds: 0 }]),
  ) as unknown as Readonly<Record<EndpointGroup, Group>>;

  count(group: EndpointGroup, status: number, durationMs: number): void {
    const { statuses, durations } = this.#groups[group];
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    const seconds = durationMs / 1_000;
    let at = 0;
    while (at < durationBounds.length && seconds > (durationBounds[at] ?? 0)) at += 1;
    durations[at] = (durations[at] ?? 0) + 1;
    this.#groups[group].seconds += seconds;
  }

  /** The number of responses by group and status. */
  responses(): { readonly group: EndpointGroup; readonly status: number; readonly count: number }[] {
    return endpointGroups.flatMap((group) =>
      [...this.#groups[group].statuses].map(([status, count]) => ({ group, status, count })),
    );
  }

  /** The durations of every group. */
  durations(): DurationCounts[] {
    return endpointGroups.map((group) => {
      const { durations, seconds } = this.#groups[group];
      let count = 0;
      const upTo = durationBounds.map((bound, at) => {
        count += durations[at] ?? 0;
        return { bound, count };
      });
      return { group, upTo, count: count + (durations[durationBounds.length] ?? 0), sum: seconds };
    });
  }
}
