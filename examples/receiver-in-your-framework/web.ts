import { receiver } from './receiver.ts';

// Bun and Deno serve the default export: bun web.ts, deno serve -A --port 3000 web.ts
export default { port: 3000, fetch: receiver.fetch };
