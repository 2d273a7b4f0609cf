/** Names with a time each. Finding out that none is due takes constant time, however many there are. */
export function createTimetable() {
  const times = new Map<string, number>();
  let earliest = Number.POSITIVE_INFINITY;

  return {
    has: (name: string) => times.has(name),
    names: (): readonly string[] => [...times.keys()],
    /** Replaces an earlier time of the name. */
    set(name: string, at: number): void {
      times.set(name, at);
      earliest = Math.min(earliest, at);
    },
    delete(name: string): void {
      times.delete(name);
      if (times.size === 0) earliest = Number.POSITIVE_INFINITY;
    },
    /** Removes and returns the names whose time is not after `time`. */
    takeUntil(time: number): readonly string[] {
      if (time < earliest) return [];
      const taken: string[] = [];
      earliest = Number.POSITIVE_INFINITY;
      for (const [name, at] of times) {
        if (at <= time) taken.push(name);
        else earliest = Math.min(earliest, at);
      }
      for (const name of taken) times.delete(name);
      return taken;
    },
    /** No name has an earlier time; infinite if there are no names. May be earlier than all of them after a removal. */
    earliest: () => earliest,
  };
}
