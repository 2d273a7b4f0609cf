import type { Answer, Attack } from './attack.ts';

const outcomes = ['recorded', 'duplicate', 'test', 'quarantined'];

/** What is wrong with an answer by the contract, told without the receiver's own code; null where nothing is. */
export function verdict(attack: Attack, answer: Answer): string | null {
  const allowed = statusesFor(attack);
  if (!allowed.includes(answer.status)) return `${answer.status} instead of ${allowed.join(' or ')}: ${answer.text}`;
  if (answer.type !== 'application/json; charset=utf-8') return `the content type ${answer.type}`;
  const said = parsed(answer.text) as Record<string, unknown> | undefined;
  const keys = Object.keys(said ?? {}).join();
  if (answer.status === 200) {
    const isRight = keys === 'received,outcome' && outcomes.includes(String(said?.['outcome']));
    return isRight ? null : `no answer to a delivery: ${answer.text}`;
  }
  const isRefusal = keys === 'success,error' && said?.['success'] === false && typeof said['error'] === 'string';
  return isRefusal ? null : `no refusal: ${answer.text}`;
}

function statusesFor({ path, signing, body }: Attack): number[] {
  if (body.length > 64 * 1024) return [413];
  if (signing !== 'vote' && signing !== 'premium') return [401];
  if (path !== '/webhooks' && path !== `/webhooks/${signing}`) return [401];
  if (parsed(body.toString('utf8')) === undefined) return [400];
  // 401 where the event turns out to be of the other family.
  return [200, 401];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
