import {
  AttachmentBuilder,
  ButtonBuilder,
  ButtonStyle,
  ContainerBuilder,
  FileBuilder,
  type Interaction,
  type InteractionReplyOptions,
  MediaGalleryBuilder,
  MessageFlags,
  SectionBuilder,
  SeparatorBuilder,
  type TextChannel,
  TextDisplayBuilder,
  ThumbnailBuilder,
} from 'discord.js';
import { describe, expect, it } from 'vitest';
import type { Repertoire } from '../testing/bot.ts';
import { inhabited, rest } from '../testing/local.ts';

const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYPhfDwACggF/yWn3aQAAAABJRU5ErkJggg==',
  'base64',
);
const picture = (name = 'chart.png') => new AttachmentBuilder(pixel, { name });
const note = (name: string, text = 'hello') => new AttachmentBuilder(Buffer.from(text), { name });

const useButton = {
  type: 1,
  components: [{ type: 2, style: 1, custom_id: 'again', label: 'Again' }],
} as const;

/** Sends files in every kind of response to an interaction. */
const filer: Repertoire = {
  commands: ['reply', 'ephemeral', 'deferred'].map((name) => ({ name, description: 'Sends files.' })),
  async answer(interaction: Interaction) {
    if (interaction.isButton()) {
      await interaction.update({ content: 'updated', files: [note('update.txt')], attachments: [] });
    } else if (interaction.isChatInputCommand()) {
      if (interaction.commandName === 'deferred') {
        await interaction.deferReply();
        await interaction.editReply({ content: 'edited', files: [note('edit.csv')] });
        await interaction.followUp({ content: 'more', files: [note('more.json')], flags: MessageFlags.Ephemeral });
      } else {
        const isEphemeral = interaction.commandName === 'ephemeral';
        const options: InteractionReplyOptions = { files: [note('data.csv'), picture()], components: [useButton] };
        await interaction.reply({ ...options, ...(isEphemeral ? { flags: MessageFlags.Ephemeral } : {}) });
      }
    }
  },
};

async function withChannel() {
  const { discord, bot, mira, general } = await inhabited({ rateLimits: false }, filer);
  const channel = bot.channels.cache.get(general) as TextChannel;
  const use = (name: string) => discord.runCommand({ name, userId: mira.id, channelId: general });
  return { discord, channel, mira, general, use };
}

describe('the files of a message', () => {
  it('have a type, a size and, as pictures, their dimensions', async () => {
    const { channel } = await withChannel();
    const files = [picture(), note('my notes (1).txt'), note('unknown.bin')];
    const { attachments } = await channel.send({ content: 'files', files });
    expect(
      attachments.map(({ name, contentType, size, width, height }) => [name, contentType, size, width, height]),
    ).toEqual([
      ['chart.png', 'image/png', pixel.length, 1, 1],
      ['my_notes__1_.txt', 'text/plain', 5, null, null],
      ['unknown.bin', 'application/octet-stream', 5, null, null],
    ]);
  });

  it('are shown if they are pictures, and otherwise downloaded; none runs scripts', async () => {
    const { channel } = await withChannel();
    const page = note('page.html', '<script>alert(1)</script>');
    const { attachments } = await channel.send({ files: [picture(), page, note('drawing.svg', '<svg/>')] });
    const headers = await Promise.all(attachments.map(async ({ url }) => (await fetch(url)).headers));
    expect(headers.map((each) => [each.get('content-type'), each.get('content-disposition')])).toEqual([
      ['image/png', 'inline; filename="chart.png"'],
      ['application/octet-stream', 'attachment; filename="page.html"'],
      ['application/octet-stream', 'attachment; filename="drawing.svg"'],
    ]);
    for (const each of headers) {
      expect(each.get('x-content-type-options')).toBe('nosniff');
      expect(each.get('content-security-policy')).toContain('sandbox');
    }
  });

  it('are limited to ten, of 10 MiB each', async () => {
    const { discord, channel, general } = await withChannel();
    const tooMany = Array.from({ length: 11 }, (_, index) => note(`${index}.txt`));
    await expect(channel.send({ files: tooMany })).rejects.toMatchObject({ status: 400, code: 50035 });
    const large = (size: number) => new AttachmentBuilder(Buffer.alloc(size), { name: 'large.bin' });
    const limit = 10 * 1024 * 1024;
    await expect(channel.send({ files: [large(limit + 1)] })).rejects.toMatchObject({ status: 413, code: 40005 });
    expect(discord.messages(general)).toEqual([]);
    const sent = await channel.send({ files: [large(limit), note('second.txt')] });
    expect(sent.attachments.map(({ size }) => size)).toEqual([limit, 5]);
    // discord.js adds the new files to the array that it is given.
    const kept = () => sent.attachments.map(({ id }) => ({ id }));
    const nineMore = tooMany.slice(0, 9);
    await expect(sent.edit({ files: nineMore, attachments: kept() })).rejects.toMatchObject({
      code: 50035,
    });
    const edited = await sent.edit({ files: tooMany.slice(0, 8), attachments: kept() });
    expect(edited.attachments.size).toBe(10);
    expect(kept().every(({ id }) => edited.attachments.has(id))).toBe(true);
  });

  it('count toward the limit also if an edit does not list them', async () => {
    const { discord, channel, general } = await withChannel();
    const sent = await channel.send({ files: [note('one.txt'), note('two.txt')] });
    const edit = async (added: number) => {
      const form = new FormData();
      form.set('payload_json', JSON.stringify({ content: 'more' }));
      for (let index = 0; index < added; index += 1) form.set(`files[${index}]`, new Blob(['x']), `${index}.txt`);
      const headers = { authorization: `Bot ${discord.token}` };
      const url = `${discord.apiUrl}/v10/channels/${general}/messages/${sent.id}`;
      return (await fetch(url, { method: 'PATCH', headers, body: form })).status;
    };
    expect(await edit(9)).toBe(400);
    expect(await edit(8)).toBe(200);
    expect(discord.messages(general)[0]?.attachments).toHaveLength(10);
  });

  it('are kept, replaced and removed by edits', async () => {
    const { channel } = await withChannel();
    const sent = await channel.send({ content: 'x', files: [note('one.txt'), note('two.txt')] });
    const names = (message: typeof sent) => message.attachments.map(({ name }) => name);
    expect(names(await sent.edit('y'))).toEqual(['one.txt', 'two.txt']);
    const [, two] = [...sent.attachments.values()];
    if (two === undefined) throw new Error('The second file is missing.');
    expect(names(await sent.edit({ attachments: [{ id: two.id }], files: [note('three.txt')] }))).toEqual([
      'two.txt',
      'three.txt',
    ]);
    expect(names(await sent.edit({ attachments: [] }))).toEqual([]);
  });

  it('shown in an embed are none of its attachments, also after an edit', async () => {
    const { channel } = await withChannel();
    const embed = (text: string) => ({
      description: text,
      image: { url: 'attachment://chart.png' },
      footer: { text: 'below', icon_url: 'attachment://icon.png' },
    });
    const sent = await channel.send({
      embeds: [embed('first')],
      files: [picture(), picture('icon.png'), note('data.csv')],
    });
    expect(sent.attachments.map(({ name }) => name)).toEqual(['data.csv']);
    const url = sent.embeds[0]?.image?.url ?? '';
    expect(Buffer.from(await (await fetch(url)).arrayBuffer())).toEqual(pixel);
    expect(sent.embeds[0]?.footer?.iconURL).toMatch(/\/icon\.png$/);
    const edited = await sent.edit({ embeds: [embed('second')] });
    expect(edited.embeds[0]).toMatchObject({ description: 'second', image: { url } });
    expect(edited.attachments.map(({ name }) => name)).toEqual(['data.csv']);
  });
});

describe('the files of a response', () => {
  it.each(['reply', 'ephemeral'])('are sent in a %s and changed by an update', async (name) => {
    const { discord, mira, use } = await withChannel();
    const message = await use(name).settled;
    const ephemeral = name === 'ephemeral' ? { ephemeral: true } : {};
    expect(message.attachments).toMatchObject([
      { filename: 'data.csv', content_type: 'text/csv', ...ephemeral },
      { filename: 'chart.png', ...ephemeral },
    ]);
    expect(await (await fetch(message.attachments[0]?.url ?? '')).text()).toBe('hello');
    const updated = await discord.clickButton(message.id, 'again', mira.id).settled;
    expect(updated.attachments.map(({ filename }) => filename)).toEqual(['update.txt']);
  });

  it('are sent in edits and in follow-up messages', async () => {
    const { discord, mira, general, use } = await withChannel();
    await use('deferred').settled;
    await expect.poll(() => discord.messages(general, mira.id).length, { timeout: 15_000 }).toBe(2);
    expect(discord.messages(general, mira.id).map(({ attachments }) => attachments[0]?.filename)).toEqual([
      'edit.csv',
      'more.json',
    ]);
    expect(discord.messages(general).map(({ content }) => content)).toEqual(['edited']);
  });
});

describe('layout components', () => {
  const text = (content: string) => new TextDisplayBuilder({ content });
  const again = new ButtonBuilder().setStyle(ButtonStyle.Primary).setCustomId('again').setLabel('Again');
  const everything = () => {
    const thumbnail = new ThumbnailBuilder({ media: { url: 'attachment://chart.png' }, description: 'A chart' });
    const section = new SectionBuilder().addTextDisplayComponents(text('Beside')).setThumbnailAccessory(thumbnail);
    const gallery = new MediaGalleryBuilder().addItems(
      { media: { url: 'attachment://chart.png' } },
      { media: { url: 'https://elsewhere.example/a.png' }, spoiler: true },
    );
    return new ContainerBuilder()
      .setAccentColor(0x57f287)
      .addTextDisplayComponents(text('# Week'))
      .addSectionComponents(section)
      .addSeparatorComponents(new SeparatorBuilder())
      .addMediaGalleryComponents(gallery)
      .addFileComponents(new FileBuilder({ file: { url: 'attachment://data.csv' } }))
      .addActionRowComponents((row) => row.addComponents(again));
  };
  const layout = (...components: readonly object[]) => ({
    flags: MessageFlags.IsComponentsV2 as const,
    components: components as never[],
  });

  it('are stored with ids and the files that they show', async () => {
    const { discord, channel, mira, general } = await withChannel();
    const sent = await channel.send({ ...layout(everything()), files: [picture(), note('data.csv')] });
    const [stored] = discord.messages(general);
    const chart = { url: expect.stringMatching(/chart\.png$/), content_type: 'image/png', width: 1, height: 1 };
    expect(stored?.components).toMatchObject([
      {
        type: 17,
        id: 1,
        accent_color: 0x57f287,
        components: [
          { type: 10, id: 2, content: '# Week' },
          { type: 9, components: [{ content: 'Beside' }], accessory: { type: 11, media: chart } },
          { type: 14, divider: true, spacing: 1 },
          { type: 12, items: [{ media: chart }, { media: { url: 'https://elsewhere.example/a.png' }, spoiler: true }] },
          { type: 13, name: 'data.csv', size: 5 },
          { type: 1, components: [{ custom_id: 'again' }] },
        ],
      },
    ]);
    const edited = await sent.edit({ components: [text('Smaller')] });
    expect(edited.flags.has(MessageFlags.IsComponentsV2)).toBe(true);
    await expect(sent.edit({ content: 'text' })).rejects.toMatchObject({ code: 50035 });
    await sent.edit({ ...layout(everything()), files: [], attachments: sent.attachments.map(({ id }) => ({ id })) });
    expect(() => discord.clickButton(sent.id, 'other', mira.id)).toThrow('no component');
    expect(discord.clickButton(sent.id, 'again', mira.id).id).toMatch(/^\d+$/);
  });

  it('replace the text of a message only if the edit removes it', async () => {
    const { channel } = await withChannel();
    const sent = await channel.send({ content: 'x', embeds: [{ title: 'y' }] });
    await expect(sent.edit(layout(text('z')))).rejects.toMatchObject({ code: 50035 });
    await expect(sent.edit({ ...layout(text('z')), content: null })).rejects.toMatchObject({ code: 50035 });
    const edited = await sent.edit({ ...layout(text('z')), content: null, embeds: [] });
    expect(edited).toMatchObject({ content: '', embeds: [] });
    expect(edited.flags.has(MessageFlags.IsComponentsV2)).toBe(true);
  });

  it('ping whom their texts mention', async () => {
    const { channel, mira, discord, general } = await withChannel();
    await channel.send({ ...layout(text(`Hello <@${mira.id}>`)), allowedMentions: { users: [mira.id] } });
    await channel.send({ ...layout(text(`Hello <@${mira.id}>`)), allowedMentions: { parse: [] } });
    expect(discord.messages(general).map(({ mentions }) => mentions.map(({ username }) => username))).toEqual([
      ['mira'],
      [],
    ]);
  });

  const display = (content = 'x') => ({ type: 10, content });
  it.each<[string, object]>([
    ['without the flag', { components: [display()] }],
    ['with text besides', { flags: 32768, content: 'x', components: [display()] }],
    ['with embeds besides', { flags: 32768, embeds: [{ title: 'x' }], components: [display()] }],
    ['with 4,001 characters', { flags: 32768, components: [display('x'.repeat(4000)), display()] }],
    ['with 41 components', { flags: 32768, components: Array.from({ length: 41 }, () => display()) }],
    [
      'with 41 components, nested ones included',
      {
        flags: 32768,
        components: [
          {
            type: 17,
            components: Array.from({ length: 10 }, (_, index) => ({
              type: 9,
              components: [display(), display()],
              accessory: { type: 2, style: 2, label: 'x', custom_id: `${index}` },
            })),
          },
        ],
      },
    ],
    [
      'with an id twice',
      {
        flags: 32768,
        components: [
          { ...display(), id: 4 },
          { ...display(), id: 4 },
        ],
      },
    ],
    ['with a file that does not exist', { flags: 32768, components: [{ type: 13, file: { url: 'attachment://x' } }] }],
    ['with an external file', { flags: 32768, components: [{ type: 13, file: { url: 'https://x.example/' } }] }],
    ['with an empty gallery', { flags: 32768, components: [{ type: 12, items: [] }] }],
    ['with a section without accessory', { flags: 32768, components: [{ type: 9, components: [display()] }] }],
    ['in an unknown place', { flags: 32768, components: [{ type: 17, components: [{ type: 17, components: [] }] }] }],
  ])('are rejected %s', async (_what, body) => {
    const { discord, general } = await inhabited();
    const path = `/channels/${general}/messages`;
    expect(await rest(discord)('POST', path, body)).toMatchObject({ status: 400, json: { code: 50035 } });
  });
});
