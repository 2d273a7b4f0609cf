import type { EndpointGroup } from './request-statistics.ts';

const lookups: Readonly<Record<string, EndpointGroup | undefined>> = Object.assign(Object.create(null), {
  server: 'server',
  bot: 'bot',
  votes: 'votes',
  reviews: 'reviews',
});

/** The group of a request target. @param basePath the path of the API, without a trailing slash */
export function endpointGroupOf(target: string, basePath: string): EndpointGroup {
  if (target.startsWith(basePath)) return lookups[firstSegment(target, basePath.length + 1)] ?? 'unknown';
  return target.startsWith('/openapi.json') ? 'openapi' : 'page';
}

/** The text from a position to the next slash or question mark. */
function firstSegment(target: string, from: number): string {
  let to = from;
  while (to < target.length && target[to] !== '/' && target[to] !== '?') to += 1;
  return target.slice(from, to);
}
