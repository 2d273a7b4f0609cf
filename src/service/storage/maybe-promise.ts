/** A value that is there at once, or later. */
export type MaybePromise<Value> = Value | Promise<Value>;

/** Without a promise where there is none: a turn of the microtask queue costs as much as a small statement. */
export function mapped<Value, Result>(
  value: MaybePromise<Value>,
  change: (value: Value) => MaybePromise<Result>,
): MaybePromise<Result> {
  return value instanceof Promise ? (async () => change(await value))() : change(value);
}
