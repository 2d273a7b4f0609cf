import { samplers } from '@tallyhook/platform/tracing/exporter-options';
import { z } from 'zod';
import { decimal, group, httpUrl, setting, text } from './setting.ts';

const keyValues = z.string().transform((list, issues) => {
  const parsed = parseKeyValues(list);
  if (parsed !== null) return parsed;
  issues.addIssue('it must consist of name=value');
  return z.NEVER;
});
const expectedKeyValues = 'name=value, several separated by commas, with special characters percent-encoded';

export const tracing = group('Traces', {
  OTEL_EXPORTER_OTLP_ENDPOINT: setting({
    schema: httpUrl,
    expected: 'the http(s) URL of an OpenTelemetry collector for OTLP over HTTP: http://localhost:4318',
    wish: 'traces from the delivery to the announcement',
    description:
      'Address of an OpenTelemetry collector (OTLP over HTTP), such as `http://localhost:4318`, see [tracing](operations.md#tracing).',
  }),
  OTEL_EXPORTER_OTLP_HEADERS: setting({
    schema: keyValues,
    isFreeText: true,
    expected: expectedKeyValues,
    secret: true,
    wish: 'a collector with a password',
    description: 'Headers for the collector: `name=value,name=value`.',
  }),
  OTEL_SERVICE_NAME: setting({
    schema: text,
    expected: 'the name of the program in traces',
    wish: 'another name in traces',
    description: 'The name of the program in traces; `tallyhook` otherwise.',
  }),
  OTEL_RESOURCE_ATTRIBUTES: setting({
    schema: keyValues,
    expected: expectedKeyValues,
    wish: 'attributes in traces',
    description: 'Further attributes: `name=value,name=value`.',
  }),
  OTEL_TRACES_SAMPLER: setting({
    schema: z.enum(samplers),
    expected: `one of ${samplers.join(', ')}`,
    default: 'parentbased_always_on',
    wish: 'fewer traces',
    description: 'Which traces are recorded: with `parentbased_traceidratio` a part of them.',
  }),
  OTEL_TRACES_SAMPLER_ARG: setting({
    schema: decimal.pipe(z.number().max(1)),
    expected: 'the part of the traces to sample, from 0 to 1',
    default: '1',
    wish: 'a tenth of them',
    description: 'The part of the traces, from 0 to 1, for samplers with `traceidratio`.',
  }),
});

/** Parses `name=value,name=value` with percent-encoded values, as OpenTelemetry does. Null if it is malformed. */
export function parseKeyValues(list: string): Record<string, string> | null {
  const pairs = list.split(',').map((pair) => pair.trim());
  const parsed = pairs.filter((pair) => pair !== '').map(parsePair);
  return parsed.includes(null) ? null : Object.fromEntries(parsed.filter((pair) => pair !== null));
}

function parsePair(pair: string): readonly [name: string, value: string] | null {
  const separator = pair.indexOf('=');
  if (separator < 1) return null;
  try {
    return [pair.slice(0, separator).trim(), decodeURIComponent(pair.slice(separator + 1).trim())];
  } catch {
    return null;
  }
}
