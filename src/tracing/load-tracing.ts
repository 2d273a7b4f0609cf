import { TallyhookError } from '../platform/errors.ts';
import type { Tracing } from './tracing.ts';

/**
 * Loads `@opentelemetry/api`, an optional peer dependency: 28 ms and 12 MB that only those who trace pay.
 * @throws TallyhookError `tracing_not_installed`
 */
export async function loadTracing(): Promise<Tracing> {
  try {
    const { createTracing } = await import('./open-telemetry.ts');
    return createTracing();
  } catch (cause) {
    throw new TallyhookError('tracing_not_installed', 'The package @opentelemetry/api could not be loaded.', {
      hint: 'Install it beside tallyhook: npm install @opentelemetry/api',
      cause,
    });
  }
}
