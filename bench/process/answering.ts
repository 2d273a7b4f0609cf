import type { Answer, Question, Usage } from './protocol.ts';

/** What a child can be asked, by name. */
export type Answers = Readonly<Record<string, (detail: never) => unknown>>;

/** The child's side: answers until the parent kills it, or goes away. */
export function answerParent(answers: Answers): void {
  const known: Answers = { ready: () => null, usage, ...answers };
  process.on('message', (message) => {
    const { id, name, detail } = message as Question;
    void answer(known, name, detail).then((told) => process.send?.({ id, ...told } satisfies Answer));
  });
  process.on('disconnect', () => process.exit());
}

async function answer(known: Answers, name: string, detail: unknown): Promise<{ told: unknown } | { error: string }> {
  try {
    const answering = known[name];
    if (answering === undefined) throw new Error(`Nobody answers "${name}" here.`);
    return { told: await answering(detail as never) };
  } catch (error) {
    return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

function usage(): Usage {
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed, external } = process.memoryUsage();
  return { cpu: user + system, resident: rss, held: heapUsed + external };
}
