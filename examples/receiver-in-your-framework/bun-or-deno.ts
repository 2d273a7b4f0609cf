import { receiver } from './receiver.ts';

// `bun bun-or-deno.ts` and `deno serve --allow-all --port 3000 bun-or-deno.ts` serve the default export.
export default {
  port: 3000,
  fetch(request: Request): Response | Promise<Response> {
    const { pathname } = new URL(request.url);
    return pathname.startsWith('/webhooks') ? receiver.fetch(request) : new Response('My page');
  },
};
