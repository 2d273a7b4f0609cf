import type { ExporterOptions } from '../src/platform/tracing/exporter-options.ts';
import type { Values } from './settings.ts';

/** Where spans are sent; null without a collector. */
export function exporterOptionsOf(values: Partial<Values>): ExporterOptions | null {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_RESOURCE_ATTRIBUTES: resourceAttributes = {} } = values;
  if (endpoint === undefined) return null;
  return {
    endpoint,
    headers: values.OTEL_EXPORTER_OTLP_HEADERS ?? {},
    serviceName: values.OTEL_SERVICE_NAME ?? resourceAttributes['service.name'] ?? 'tallyhook',
    resourceAttributes,
    sampler: values.OTEL_TRACES_SAMPLER ?? 'parentbased_always_on',
    samplerRatio: values.OTEL_TRACES_SAMPLER_ARG ?? 1,
  };
}

/** The secrets in headers such as `Authorization: Bearer …`: the whole value, and what follows the scheme. */
export function secretsOfHeaders(headers: Readonly<Record<string, string>>): string[] {
  return Object.values(headers).flatMap((value) => [value, value.slice(value.indexOf(' ') + 1)]);
}
