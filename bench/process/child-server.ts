import { readFileSync } from 'node:fs';
import type { ChildRequest, ChildResponse, Usage } from './child.ts';

/** The requests that a child process handles, by name. */
export type Handlers = Readonly<Record<string, (detail: never) => unknown>>;

/** The child's side: handles requests until the parent ends it or exits. */
export function serveParent(answers: Handlers): void {
  const known: Handlers = { ready: () => null, usage, ...answers };
  process.on('message', (message) => {
    const { id, name, detail } = message as ChildRequest;
    void answer(known, name, detail).then((result) => process.send?.({ id, ...result } satisfies ChildResponse));
  });
  process.on('disconnect', () => process.exit());
}

async function answer(
  known: Handlers,
  name: string,
  detail: unknown,
): Promise<{ result: unknown } | { error: string }> {
  try {
    const answering = known[name];
    if (answering === undefined) throw new Error(`Nobody answers "${name}" here.`);
    return { result: await answering(detail as never) };
  } catch (error) {
    return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

function usage(): Usage {
  const { user, system } = process.cpuUsage();
  return { cpu: user + system, resident: process.memoryUsage().rss, written: writtenBytes() };
}

function writtenBytes(): number {
  try {
    return Number(/^write_bytes: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);
  } catch {
    return Number.NaN;
  }
}
