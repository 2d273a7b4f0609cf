import { execFile } from 'node:child_process';
import { open } from 'node:fs/promises';
import { promisify } from 'node:util';
import { createDraw } from '@tallyhook/platform/pictures/draw';
import { box } from '@tallyhook/platform/pictures/picture';
import { collectingLog } from '@tallyhook/platform/testing/collecting-log';
import { decodePng } from '@tallyhook/platform/testing/png';
import { describe, expect, it } from 'vitest';
import { voteChart } from '../../../src/features/pictures/vote-chart.ts';

const root = new URL('../../../', import.meta.url);
const words = {
  title: 'Votes',
  since: 'since {date}',
  total: 'total',
  average: 'average',
  maximum: 'maximum',
  weekend: 'weekend',
};
const chart = voteChart({
  days: Array.from({ length: 30 }, (_, index) => ({ day: 20_000 + index, votes: index * 10 })),
  words,
  locale: 'en',
});

describe('drawing', () => {
  it('leaves threads to files while many pictures are drawn', async () => {
    const { log } = collectingLog();
    const draw = createDraw({ log });
    await draw(() => chart, 1);
    let done = 0;
    const pictures = Array.from({ length: 50 }, async () => {
      const picture = await draw(() => chart, 1);
      done += 1;
      return picture;
    });
    const file = await open(new URL('package.json', root));
    await file.close();
    expect(done).toBeLessThan(10);
    const drawn = await Promise.all(pictures);
    const [first] = drawn;
    expect(decodePng(first ?? new Uint8Array()).width).toBe(900);
    expect(drawn).toEqual(Array(50).fill(first));
  });

  it('goes on after a picture that cannot be drawn', async () => {
    const { log, logged } = collectingLog();
    const draw = createDraw({ log });
    const impossible = { width: 10, height: 10, root: { ...box({ width: Number.NaN }), children: [] } };
    expect(await Promise.all(Array.from({ length: 5 }, () => draw(() => impossible, 1)))).toEqual(Array(5).fill(null));
    expect(logged.map(({ msg }) => msg)).toEqual(Array(5).fill('a picture could not be drawn'));
    expect(await draw(() => chart, 1)).not.toBe(null);
  });

  it('does nothing without its package, and logs one warning', async () => {
    const hooks = `import { registerHooks } from 'node:module';
      registerHooks({ resolve(specifier, context, next) {
        if (specifier.startsWith('@takumi-rs/')) throw new Error('Cannot find package ' + specifier);
        return next(specifier, context);
      } });`;
    const program = `import { createDraw } from '@tallyhook/platform/pictures/draw';
      const warnings = [];
      const draw = createDraw({ log: { warn: (fields, message) => warnings.push({ ...fields, message }) } });
      const picture = { width: 10, height: 10, root: { type: 'container', style: {}, children: [] } };
      const drawn = await Promise.all([draw(() => picture, 1), draw(() => picture, 1)]);
      console.log(JSON.stringify({ drawn: [...drawn, await draw(() => picture, 2)], warnings }));`;
    const args = [
      '--import',
      `data:text/javascript,${encodeURIComponent(hooks)}`,
      '--input-type=module',
      '-e',
      program,
    ];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root });
    expect(JSON.parse(stdout)).toEqual({
      drawn: [null, null, null],
      warnings: [
        {
          message: 'pictures cannot be drawn; replies are sent without them',
          reason: 'Cannot find package @takumi-rs/core',
          hint: expect.stringContaining('@takumi-rs/core'),
        },
      ],
    });
  });
});
