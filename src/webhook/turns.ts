/** Memory of a waiting request apart from its body (bytes, estimated). */
const requestSize = 1024;

/**
 * Lets long computations continue one at a time, each for a part of a turn of the event loop.
 * @param maxSize what all waiting callers together may keep in memory (bytes)
 */
export function createTurns(maxSize: number) {
  const waiting: { readonly size: number; readonly resume: () => void }[] = [];
  let waitingSize = 0;

  function resumeFirst(): void {
    const first = waiting.shift();
    if (first === undefined) return;
    waitingSize -= first.size;
    first.resume();
    if (waiting.length > 0) setImmediate(resumeFirst);
  }

  return {
    /**
     * Resolves to true in a later turn, in which no other caller continues. False if too much is waiting already.
     * @param bodySize what the caller keeps in memory meanwhile (bytes)
     */
    async next(bodySize: number): Promise<boolean> {
      const size = bodySize + requestSize;
      if (waitingSize + size > maxSize) return false;
      waitingSize += size;
      if (waiting.length === 0) setImmediate(resumeFirst);
      await new Promise<void>((resume) => waiting.push({ size, resume }));
      return true;
    },
  };
}
