import { Agent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';

/** An agent for libraries that know only node:https and its default port: it connects without TLS, to the port of `url`. */
export function plainAgent(url: string): HttpsAgent {
  const agent = new Agent();
  return Object.assign(new HttpsAgent(), {
    defaultPort: Number(new URL(url).port),
    createConnection: agent.createConnection,
  });
}
