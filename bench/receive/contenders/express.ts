import { createServer } from 'node:http';
import type { Start } from '../contender.ts';
import { expressSample } from '../express-sample.ts';
import { listening } from '../listening.ts';

/** What most people begin with. */
export const start: Start = () => listening(createServer(expressSample(() => {})));
