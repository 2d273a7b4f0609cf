import type { Agent } from 'node:http';
import { type Answer, type Attack, connections, send } from './attack.ts';
import type { Target } from './target.ts';
import { verdict } from './verdict.ts';

/** An attack that was answered as it must not be. */
export interface Harm {
  readonly attack: Attack;
  readonly fault: string;
}

const senders = 8;

/**
 * Sends all attacks, eight at a time, and stops at the first that does harm. `taken` counts the answers with 200.
 * An attack that gets no answer at all has done harm, too.
 */
export async function attackAll(
  target: Target,
  attacks: Iterator<Attack>,
): Promise<{ harm: Harm | null; taken: number; sent: number }> {
  const agent = connections(senders);
  let harm: Harm | null = null;
  let taken = 0;
  let sent = 0;
  await Promise.all(
    Array.from({ length: senders }, async () => {
      for (let next = attacks.next(); !next.done && harm === null; next = attacks.next()) {
        sent += 1;
        const attack = next.value;
        const answer = await answerTo(target, attack, agent);
        if (typeof answer !== 'string' && answer.status === 200) taken += 1;
        const fault = typeof answer === 'string' ? answer : verdict(attack, answer);
        if (fault !== null) harm ??= { attack, fault };
      }
    }),
  );
  agent.destroy();
  return { harm, taken, sent };
}

async function answerTo(target: Target, attack: Attack, agent: Agent): Promise<Answer | string> {
  return send(target.url, attack, agent).catch((error: unknown) => `no answer: ${String(error)}`);
}
