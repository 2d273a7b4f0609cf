/** The partition of a queue: the same in every process and version. @param partitions their number */
export function partitionOf(queue: string, partitions: number): number {
  // FNV-1a: names of queues differ in few characters.
  let hash = 0x811c9dc5;
  for (let index = 0; index < queue.length; index += 1) {
    hash = Math.imul(hash ^ queue.charCodeAt(index), 0x01000193);
  }
  return (hash >>> 0) % partitions;
}
