import { TallyhookError } from '../errors.ts';
import { createTracing } from './open-telemetry.ts';
import type { Tracing } from './tracing.ts';

/**
 * Loads `@opentelemetry/api`, an optional peer dependency: 28 ms and 12 MB that only those who trace pay.
 * Spans go to the tracer provider that your program has registered; without one they are dropped.
 * @category Start here
 * @throws TallyhookError `tracing_not_installed`
 * @example
 * ```ts
 * import { createApp, createLog, loadConfig, loadTracing, systemClock } from 'tallyhook';
 *
 * // After your OpenTelemetry SDK was started.
 * const tracing = await loadTracing();
 * const log = createLog({ level: 'info', secrets: [] });
 * const app = await createApp(loadConfig(process.env), { clock: systemClock, log, tracing });
 * ```
 */
export async function loadTracing(): Promise<Tracing> {
  try {
    // A bundle without it warns otherwise, although it need not be installed.
    const api = await import(/* webpackIgnore: true */ '@opentelemetry/api');
    return createTracing(api);
  } catch (cause) {
    throw new TallyhookError('tracing_not_installed', 'The package @opentelemetry/api could not be loaded.', {
      hint: 'Install it beside tallyhook: npm install @opentelemetry/api',
      cause,
    });
  }
}
