import { describe, expect, it } from 'vitest';
import { markdown } from '../../bench/markdown.ts';
import { atLeast, atMost, figure } from '../../bench/report.ts';
import { median, percentile } from '../../bench/samples.ts';

describe('samples', () => {
  it('are sorted before ranking', () => {
    const samples = [5, 1, 4, 2, 3];
    expect([median(samples), percentile(samples, 0.99), percentile(samples, 0)]).toEqual([3, 5, 1]);
    expect(median([])).toBeNaN();
  });
});

describe('a goal', () => {
  it('is met at exactly its limit', () => {
    expect([atLeast('a', 1.5, 1.5).met, atLeast('a', 1.5, 1.49).met]).toEqual([true, false]);
    expect([atMost('b', 1.2, 1.2).met, atMost('b', 1.2, 1.21).met]).toEqual([true, false]);
  });

  it('is not met without a measurement', () => {
    expect(atMost('b', 1.2, Number.NaN)).toMatchObject({ met: false, measured: '–' });
  });
});

it('figures have three significant digits', () => {
  expect([0.123, 1.234, 12.34, 123.4, 12_345, Number.NaN].map(figure)).toEqual([
    '0.12',
    '1.23',
    '12.3',
    '123',
    '12,345',
    '–',
  ]);
});

it('a report is Markdown with aligned columns', () => {
  const report = {
    goals: [atLeast('speed', 2, 3)],
    tables: [
      {
        caption: 'Times.',
        columns: ['', 'ms'],
        rows: [
          ['slow', '1,000'],
          ['fast', '1'],
        ],
      },
    ],
    notes: ['A note.'],
  };
  expect(markdown(report)).toBe(
    [
      '| what  | goal | measured | met |',
      '|-------|-----:|---------:|----:|',
      '| speed | ≥ 2× |    3.00× | yes |',
      '',
      'Times.',
      '',
      '|      |    ms |',
      '|------|------:|',
      '| slow | 1,000 |',
      '| fast |     1 |',
      '',
      '- A note.',
    ].join('\n'),
  );
});
