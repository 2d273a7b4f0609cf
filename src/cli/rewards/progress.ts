/** Members between two messages. */
const interval = 50_000;

/** Reports the progress of work on all members. */
export function createProgress(total: number, onProgress: (line: string) => void) {
  let done = 0;
  return {
    advance(): void {
      done += 1;
      if (done % interval === 0) onProgress(`${done} of ${total} members …`);
    },
  };
}
