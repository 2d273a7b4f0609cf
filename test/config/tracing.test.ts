import { InvalidConfigError } from '@tallyhook/platform/invalid-config-error';
import { createRedactor } from '@tallyhook/platform/redactor';
import { describe, expect, it } from 'vitest';
import { describeConfig } from '../../config/describe.ts';
import { loadConfig } from '../../config/load.ts';

const receiver = { TALLYHOOK_ROLES: 'receive', VOTE_WEBHOOK_SECRET: 'vote-secret' };
const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://localhost:4318/';

describe('the settings of traces', () => {
  it('are off without a collector, whatever else is set', () => {
    expect(loadConfig(receiver).tracing).toBe(null);
    expect(loadConfig({ ...receiver, OTEL_SERVICE_NAME: 'votes', OTEL_TRACES_SAMPLER: 'always_on' }).tracing).toBe(
      null,
    );
  });

  it('have the defaults of OpenTelemetry', () => {
    expect(loadConfig({ ...receiver, OTEL_EXPORTER_OTLP_ENDPOINT }).tracing).toEqual({
      endpoint: 'http://localhost:4318',
      headers: {},
      serviceName: 'tallyhook',
      resourceAttributes: {},
      sampler: 'parentbased_always_on',
      samplerRatio: 1,
    });
  });

  it('are read as OpenTelemetry does', () => {
    const { tracing } = loadConfig({
      ...receiver,
      OTEL_EXPORTER_OTLP_ENDPOINT,
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20hush-hush, x-team = votes',
      OTEL_RESOURCE_ATTRIBUTES: 'service.name=named,deployment.environment.name=a%2Cb',
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
    });
    expect(tracing).toMatchObject({
      headers: { authorization: 'Bearer hush-hush', 'x-team': 'votes' },
      serviceName: 'named',
      resourceAttributes: { 'deployment.environment.name': 'a,b' },
      sampler: 'parentbased_traceidratio',
      samplerRatio: 0.25,
    });
  });

  it('keep the headers out of the log and of the output of `tallyhook config`', () => {
    const environment = {
      ...receiver,
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://user:pass-hush@localhost:4318',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20hush-hush,x-key=key-hush',
    };
    expect(describeConfig(environment)).not.toContain('hush');
    const redact = createRedactor(loadConfig(environment).secrets);
    expect(redact('Bearer hush-hush, hush-hush, key-hush, pass-hush')).not.toContain('hush');
  });

  it.each([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'grpc://localhost:4317'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'authorization'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'authorization=%zz'],
    ['OTEL_RESOURCE_ATTRIBUTES', '=value'],
    ['OTEL_TRACES_SAMPLER', 'sometimes'],
    ['OTEL_TRACES_SAMPLER_ARG', '1.5'],
  ])('are rejected if %s is "%s"', (name, value) => {
    try {
      loadConfig({ ...receiver, OTEL_EXPORTER_OTLP_ENDPOINT, [name]: value });
      expect.fail('The value was accepted.');
    } catch (error) {
      expect(error).toBeInstanceOf(InvalidConfigError);
      expect((error as InvalidConfigError).issues.map(({ setting }) => setting)).toEqual([name]);
    }
  });
});
