import { createServer } from 'node:http';
import { listening } from '../../process/listening.ts';
import type { Start } from '../contender.ts';
import { expressSample } from '../express-sample.ts';

/** What most people begin with. */
export const start: Start = () => listening(createServer(expressSample(() => {})));
