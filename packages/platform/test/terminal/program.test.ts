import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { completions, Option, Program } from '../../src/terminal/program.ts';
import { UsageError } from '../../src/terminal/terminal.ts';

/** A program with two commands, on a terminal of this width. */
function createProgram(columns?: number) {
  const lines: string[] = [];
  const print = (line: string) => void lines.push(line);
  const output = Object.assign(new PassThrough(), columns === undefined ? {} : { columns });
  const streams = { input: new PassThrough(), output, errorOutput: new PassThrough() };
  const terminal = { print, printError: print, ...streams, stop: new AbortController().signal };
  const program = new Program('post', terminal).description('Sends letters.').defaultsTo('send');
  program
    .command('send [letters...]')
    .description('send letters, each as soon as the one before it has arrived')
    .addOption(new Option('--by <way>', 'the way on which they are sent').choices(['ship', 'train']).default('ship'))
    .option('--to <place>', 'where they are sent, wherever that is in the world, or beyond it')
    .runs<{ by: string; to?: string }>(async () => async ({ by, to }, { print: say }, letters) => {
      if (to === 'moon') throw new UsageError('Nobody is there.');
      say(`${letters.join()} by ${by}`);
      return 0;
    })
    .details(
      'Letters are sent in the order in which they are named, and none\nof them is sent twice.\n\nExit code: 0.',
    );
  program.command('count').runs(async () => async () => 1);
  const run = async (...args: string[]) => ({ code: await program.run(args), output: lines.splice(0).join('\n') });
  return { program, run };
}

it('wraps its help to the terminal, and to 80 columns on a wide one', async () => {
  for (const [columns, most] of [
    [50, 50],
    [200, 80],
    [undefined, 80],
  ] as const) {
    const { code, output } = await createProgram(columns).run('send', '--help');
    expect(code).toBe(0);
    const widest = Math.max(...output.split('\n').map(({ length }) => length));
    expect(widest).toBeLessThanOrEqual(most);
    expect(widest).toBeGreaterThan(most - 12);
    expect(output.replaceAll(/\s+/g, ' ')).toContain('none of them is sent twice. Exit code: 0.');
  }
});

it.each([
  [['send', 'a', 'b', '--by', 'train'], 0, 'a,b by train'],
  [[], 0, ' by ship'],
  [['--by=train'], 0, ' by train'],
  [['count'], 1, ''],
  [['--to', 'moon'], 2, 'Nobody is there. See --help.'],
  [['sent'], 2, "Unknown command 'sent'. Did you mean send? See --help."],
  [['send', '--bi', 'x'], 2, "Unknown option '--bi'. Did you mean --by? See --help."],
  [['send', '--to', '--by'], 2, "Option '--to <place>' argument missing. See --help."],
])('%j exits with %i: %s', async (args, code, output) => {
  expect(await createProgram().run(...args)).toEqual({ code, output });
});

it.each([
  [['se'], ['send']],
  [['send', '--b'], ['--by']],
  [
    ['send', '--by', ''],
    ['ship', 'train'],
  ],
  [['send', '--to', ''], []],
  [['help', 'c'], ['count']],
])('completes %j to %j', (words, expected) => {
  expect(completions(createProgram().program, words)).toEqual(expected);
});
