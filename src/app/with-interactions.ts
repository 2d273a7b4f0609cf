import type { RequestListener } from 'node:http';
import { interactionsPath } from '../discord/interactions/endpoint.ts';
import type { Answering } from './answering.ts';

/** Interactions are handled without Express, like deliveries: members wait for them. */
export function withInteractions(endpoint: Answering['endpoint'], fallback: RequestListener): RequestListener {
  if (endpoint === null) return fallback;
  return (request, response) => {
    if (request.url === interactionsPath) endpoint.handle(request, response);
    else fallback(request, response);
  };
}
