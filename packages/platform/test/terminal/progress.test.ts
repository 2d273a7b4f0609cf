import { describe, expect, it } from 'vitest';
import { type ProgressOptions, startProgress } from '../../src/terminal/progress.ts';

function begin(options: ProgressOptions, isTerminal: boolean) {
  const shown: (string | null)[] = [];
  let now = 1_000;
  const show = (line: string | null) => void shown.push(line);
  const progress = startProgress({ printError: show, ...(isTerminal && { drawLine: show }) }, options, {
    monotonic: () => now,
  });
  const at = (ms: number, done: number, share?: number) => {
    now = 1_000 + ms;
    progress.advanceTo(done, share);
  };
  return { shown, at, end: progress.end };
}

describe('progress', () => {
  it('is drawn in place ten times a second on a terminal, and removed at the end', () => {
    const { shown, at, end } = begin({ unit: 'rows', total: 100_000 }, true);
    at(50, 500);
    at(100, 1_000);
    at(150, 1_500);
    at(2_000, 57_000);
    end();
    expect(shown).toEqual([
      '▕░░░░░░░░░░▏ 1 %  1,000/100,000 rows  10,000/s',
      '▕██████░░░░▏ 57 %  57,000/100,000 rows  28,500/s  2 s left',
      null,
    ]);
  });

  it('is a line after a second and every five seconds elsewhere, and nothing for short work', () => {
    const { shown, at, end } = begin({ unit: 'members', label: 'Paying', total: 3_000 }, false);
    at(999, 10);
    at(1_000, 100);
    at(5_999, 500);
    at(6_000, 600);
    end();
    expect(shown).toEqual([
      'Paying  ▕░░░░░░░░░░▏ 3 %  100/3,000 members  100/s',
      'Paying  ▕██░░░░░░░░▏ 20 %  600/3,000 members  100/s  24 s left',
    ]);
  });

  it('counts without a total, takes a share from elsewhere, and shows a share alone', () => {
    const counted = begin({ unit: 'entries' }, false);
    counted.at(2_000, 40);
    const shared = begin({ unit: 'rows' }, false);
    shared.at(10_000, 5, 0.001);
    const copied = begin({ unit: '', label: 'Copying', total: 1 }, false);
    copied.at(60_000, 0.01);
    expect([counted, shared, copied].map(({ shown }) => shown[0])).toEqual([
      '40 entries  20/s',
      '▕░░░░░░░░░░▏ 0 %  5 rows  2 h 47 min left',
      'Copying  ▕░░░░░░░░░░▏ 1 %  1 h 39 min left',
    ]);
  });

  it('says nothing about the rest of an empty work', () => {
    const { shown, at } = begin({ unit: 'rows', total: 0 }, true);
    at(5_000, 0);
    expect(shown).toEqual(['0/0 rows']);
  });
});
