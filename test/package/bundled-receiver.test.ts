import { rolldown } from 'rolldown';
import { expect, it } from 'vitest';

it('the receiver takes neither discord.js nor a database server along into a bundle, nor what is loaded later', async () => {
  const bundle = await rolldown({ input: 'src/exports/receiver.ts', platform: 'node', logLevel: 'silent' });
  const { output } = await bundle.generate({ minify: true, comments: false });
  await bundle.close();
  const chunks = output.filter((each) => each.type === 'chunk');
  const modules = chunks.flatMap(({ moduleIds }) => moduleIds);
  expect(modules.some((path) => path.includes('/node_modules/kysely/'))).toBe(true);
  const foreign =
    /node_modules\/(?:discord\.js|@discordjs|express|ws|pg|@redis|@keyv)\/|\/src\/(?:discord\/|owner\/|texts\/(?:en|texts)\.ts$)/;
  expect(modules.filter((path) => foreign.test(path))).toEqual([]);
  expect(chunks.reduce((sum, { code }) => sum + Buffer.byteLength(code), 0)).toBeLessThan(1_000_000);
});
