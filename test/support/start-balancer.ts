import { request as httpRequest } from 'node:http';
import { serve } from '@tallyhook/platform/testing/serve';

/** A load balancer that passes each request on to one of the targets of that moment, in turn, and never repeats one. */
export async function startBalancer(targets: () => readonly string[]) {
  const requests = new Map<string, number>();
  let turn = 0;
  const url = await serve((request, response) => {
    const ready = targets();
    turn += 1;
    const target = ready[turn % ready.length];
    if (target === undefined) return void response.writeHead(502).end();
    requests.set(target, (requests.get(target) ?? 0) + 1);
    const { method, headers, url: path } = request;
    const forwarded = httpRequest(`${target}${path}`, { method, headers, agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    forwarded.on('error', (error) => response.writeHead(502).end(String(error)));
    request.pipe(forwarded);
  });
  return { url, requestsTo: (target: string) => requests.get(target) ?? 0 };
}
