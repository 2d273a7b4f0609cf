/**
 * Memoizes a pure function of two objects by their identity, for as long as both are in use elsewhere. For objects that
 * are never changed.
 */
export function memoizeByIdentity<Subject extends object, Context extends object, Result>(
  compute: (subject: Subject, context: Context) => Result,
): (subject: Subject, context: Context) => Result {
  const resultsByContext = new WeakMap<Context, WeakMap<Subject, Result>>();
  return (subject, context) => {
    let results = resultsByContext.get(context);
    if (results === undefined) {
      results = new WeakMap();
      resultsByContext.set(context, results);
    }
    let result = results.get(subject);
    if (result === undefined) {
      result = compute(subject, context);
      results.set(subject, result);
    }
    return result;
  };
}

/** Computes the result for an object once, as long as the object is in use. */
export function memoizeOne<Subject extends object, Result>(
  compute: (subject: Subject) => Result,
): (subject: Subject) => Result {
  const results = new WeakMap<Subject, { readonly result: Result }>();
  return (subject) => {
    let known = results.get(subject);
    if (known === undefined) {
      known = { result: compute(subject) };
      results.set(subject, known);
    }
    return known.result;
  };
}

/** Computes a value for the first caller, and keeps it. */
export function once<Value>(compute: () => Value): () => Value {
  let known: { readonly value: Value } | undefined;
  return () => {
    known ??= { value: compute() };
    return known.value;
  };
}

/** An object whose properties are created when they are first read, and kept. */
export function lazily<Properties extends object>(
  create: {
    readonly [Name in keyof Properties]: () => Properties[Name];
  },
): Readonly<Properties> {
  const object = {} as Properties;
  for (const [name, createOne] of Object.entries<() => unknown>(create)) {
    const get = () => {
      const value = createOne();
      Object.defineProperty(object, name, { value, enumerable: true });
      return value;
    };
    Object.defineProperty(object, name, { get, enumerable: true, configurable: true });
  }
  return object;
}
