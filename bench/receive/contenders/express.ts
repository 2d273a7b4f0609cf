import { createServer } from 'node:http';
import { listen } from '../../process/child.ts';
import type { Start } from '../contender.ts';
import { expressSample } from '../express-sample.ts';

/** The usual starting point. */
export const start: Start = () => listen(createServer(expressSample(() => {})));
