/** The samplers of OpenTelemetry, by the values of `OTEL_TRACES_SAMPLER`. */
export const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

export type SamplerName = (typeof samplers)[number];

/** Where spans are sent, and which. */
export interface ExporterOptions {
  /** Base URL of the collector, without a trailing slash; `/v1/traces` is appended. */
  readonly endpoint: string;
  /** Sent with every request. The values are secret. */
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  readonly resourceAttributes: Readonly<Record<string, string>>;
  readonly sampler: SamplerName;
  /** The sampled part of the traces for the samplers by ratio, from 0 to 1. */
  readonly samplerRatio: number;
}
