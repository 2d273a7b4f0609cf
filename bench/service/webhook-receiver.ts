import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { listen } from '../process/listen.ts';

/** A receiver of webhooks, which counts the requests of each delivery. */
export interface WebhookReceiver {
  /** The receiver that answers after some milliseconds. Each number is another webhook of the same receiver. */
  url(answerAfterMs: number, webhook: number): string;
  /** A receiver that never answers. */
  readonly deadUrl: string;
  /** How often each delivery was received, by its id; without those that were not answered. */
  readonly received: ReadonlyMap<string, number>;
  /** When the last new delivery was received (ms, as `performance.now()`). */
  lastAt(): number;
  /** Connections that were opened. */
  connections(): number;
  /** Resolves when these deliveries have arrived. Rejects if one does not, or twice. */
  untilDelivered(ids: readonly string[]): Promise<void>;
  stop(): void;
}

/** A queue from which nothing leaves for so long has lost a delivery (ms). */
const patienceMs = 60_000;

export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const received = new Map<string, number>();
  let lastAt = 0;
  let connections = 0;
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const [, answer = ''] = (request.url ?? '').split('/');
      if (answer === 'dead') return;
      const id = String(request.headers['x-webhook-id']);
      received.set(id, (received.get(id) ?? 0) + 1);
      lastAt = performance.now();
      const respond = () => void response.end('{"received":true}');
      if (answer === '0') respond();
      else setTimeout(respond, Number(answer));
    });
  });
  server.on('connection', () => (connections += 1));
  const base = `http://127.0.0.1:${await listen(server)}`;
  return {
    url: (answerAfterMs, webhook) => `${base}/${answerAfterMs}/${webhook}`,
    deadUrl: `${base}/dead`,
    received,
    lastAt: () => lastAt,
    connections: () => connections,
    async untilDelivered(ids) {
      const deadline = performance.now() + patienceMs;
      const isMissing = (id: string) => !received.has(id);
      while (ids.some(isMissing)) {
        if (performance.now() > deadline) throw new Error(`${ids.filter(isMissing).length} webhooks did not arrive.`);
        await sleep(1);
      }
      const repeated = ids.filter((id) => received.get(id) !== 1).length;
      if (repeated > 0) throw new Error(`${repeated} webhooks arrived more than once.`);
    },
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
