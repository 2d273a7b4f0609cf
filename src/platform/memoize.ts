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
