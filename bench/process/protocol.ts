/** The messages between the benchmark and the processes under test. */
export interface ChildRequest {
  readonly id: number;
  readonly name: string;
  readonly detail: unknown;
}

export type ChildResponse =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: string };

export interface Usage {
  /** User and system CPU time of all threads since the start of the process (µs). */
  readonly cpu: number;
  /** Resident memory (bytes). */
  readonly resident: number;
  /** Used heap and external buffers (bytes). */
  readonly heapUsed: number;
}
