import { receiver } from './receiver.ts';

// As app/api/tally/webhooks/vote/route.ts of Next.js; any folder will do that ends in webhooks/vote.
export const runtime = 'nodejs';
export const POST = receiver.fetch;
