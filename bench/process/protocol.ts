/** What passes between the process that measures and those that are measured. */
export interface ChildRequest {
  readonly id: number;
  readonly name: string;
  readonly detail: unknown;
}

export type ChildResponse =
  | { readonly id: number; readonly told: unknown }
  | { readonly id: number; readonly error: string };

export interface Usage {
  /** CPU time in user and system, all threads, since the process began (µs). */
  readonly cpu: number;
  /** Resident memory (bytes). */
  readonly resident: number;
  /** What the program itself holds of it: live objects, and buffers beside the heap (bytes). */
  readonly held: number;
}
