import { describe, expect, it } from 'vitest';
import { faultAt, withApi } from '../testing/api.ts';

describe('a message', () => {
  const long = (length: number) => 'x'.repeat(length);
  const field = { name: 'n', value: 'v' };
  const button = { type: 2, style: 1, label: 'Press', custom_id: 'a' };
  const row = (...components: object[]) => [{ type: 1, components }];

  it.each([
    ['2,001 characters', { content: long(2001) }, ['content'], 'BASE_TYPE_MAX_LENGTH'],
    ['a content that is a number', { content: 5 }, ['content'], 'STRING_TYPE_CONVERT'],
    ['11 embeds', { embeds: Array.from({ length: 11 }, () => ({ title: 'x' })) }, ['embeds'], 'BASE_TYPE_MAX_LENGTH'],
    ['an empty embed', { embeds: [{}] }, ['embeds', 0, 'description'], 'BASE_TYPE_REQUIRED'],
    ['a long title', { embeds: [{ title: long(257) }] }, ['embeds', 0, 'title'], 'BASE_TYPE_MAX_LENGTH'],
    [
      'a long description',
      { embeds: [{ description: long(4097) }] },
      ['embeds', 0, 'description'],
      'BASE_TYPE_MAX_LENGTH',
    ],
    [
      'a long footer',
      { embeds: [{ footer: { text: long(2049) } }] },
      ['embeds', 0, 'footer', 'text'],
      'BASE_TYPE_MAX_LENGTH',
    ],
    [
      '26 fields',
      { embeds: [{ fields: Array.from({ length: 26 }, () => field) }] },
      ['embeds', 0, 'fields'],
      'BASE_TYPE_MAX_LENGTH',
    ],
    [
      'a field without a value',
      { embeds: [{ fields: [{ name: 'n', value: '' }] }] },
      ['embeds', 0, 'fields', 0, 'value'],
      'BASE_TYPE_REQUIRED',
    ],
    [
      'a long field',
      { embeds: [{ fields: [{ name: 'n', value: long(1025) }] }] },
      ['embeds', 0, 'fields', 0, 'value'],
      'BASE_TYPE_MAX_LENGTH',
    ],
    [
      'more than 6,000 characters in embeds',
      { embeds: [{ description: long(4000) }, { description: long(2001) }] },
      ['embeds'],
      'MAX_EMBED_SIZE_EXCEEDED',
    ],
    [
      'a link that is none',
      { embeds: [{ title: 'x', url: 'nonsense' }] },
      ['embeds', 0, 'url'],
      'URL_TYPE_INVALID_URL',
    ],
    [
      'a link that runs',
      { embeds: [{ title: 'x', url: 'javascript:alert(1)' }] },
      ['embeds', 0, 'url'],
      'URL_TYPE_INVALID_SCHEME',
    ],
    ['a color beyond white', { embeds: [{ title: 'x', color: 0x1000000 }] }, ['embeds', 0, 'color'], 'NUMBER_TYPE_MAX'],
    [
      '6 rows',
      {
        content: 'x',
        components: Array.from({ length: 6 }, (_, index) => row({ ...button, custom_id: `${index}` })[0]),
      },
      ['components'],
      'BASE_TYPE_MAX_LENGTH',
    ],
    [
      '6 buttons in a row',
      {
        content: 'x',
        components: row(...Array.from({ length: 6 }, (_, index) => ({ ...button, custom_id: `${index}` }))),
      },
      ['components', 0, 'components'],
      'BASE_TYPE_MAX_LENGTH',
    ],
    [
      'a label of 81',
      { content: 'x', components: row({ ...button, label: long(81) }) },
      ['components', 0, 'components', 0, 'label'],
      'BASE_TYPE_MAX_LENGTH',
    ],
    [
      'a custom id of 101',
      { content: 'x', components: row({ ...button, custom_id: long(101) }) },
      ['components', 0, 'components', 0, 'custom_id'],
      'BASE_TYPE_MAX_LENGTH',
    ],
    [
      'a custom id used twice',
      { content: 'x', components: row(button, button) },
      ['components', 0, 'components', 1, 'custom_id'],
      'COMPONENT_CUSTOM_ID_DUPLICATED',
    ],
    [
      'a link button without a link',
      { content: 'x', components: row({ type: 2, style: 5, label: 'x' }) },
      ['components', 0, 'components', 0, 'url'],
      'BASE_TYPE_REQUIRED',
    ],
    ['a nonce of 26', { content: 'x', nonce: long(26) }, ['nonce'], 'BASE_TYPE_MAX_LENGTH'],
    [
      'mentions both parsed and listed',
      { content: 'x', allowed_mentions: { parse: ['users'], users: ['1'] } },
      ['allowed_mentions'],
      'MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE',
    ],
    [
      'the same choice twice',
      {
        components: row({
          type: 3,
          custom_id: 'a',
          options: [
            { label: 'one', value: '1' },
            { label: 'two', value: '1' },
          ],
        }),
      },
      ['components', 0, 'components', 0, 'options', 1, 'value'],
      'SELECT_COMPONENT_OPTION_VALUE_DUPLICATED',
    ],
    [
      '11 files',
      { attachments: Array.from({ length: 11 }, (_, id) => ({ id })) },
      ['attachments'],
      'BASE_TYPE_MAX_LENGTH',
    ],
  ])('with %s is rejected', async (_what, body, path, code) => {
    const { send, discord, announcements } = await withApi();
    const { status, json } = await send(body);
    expect(status).toBe(400);
    expect(json).toMatchObject({ code: 50035, message: 'Invalid Form Body' });
    expect(faultAt(json, ...path)).toBe(code);
    expect(discord.messages(announcements)).toHaveLength(0);
  });

  it('at the limits is accepted', async () => {
    const { send } = await withApi();
    const fields = Array.from({ length: 25 }, () => ({ name: 'n', value: 'v' }));
    const embeds = [{ title: long(256), description: long(4096), footer: { text: long(1000) }, fields }];
    const rows = Array.from({ length: 5 }, (_, index) =>
      Array.from({ length: 5 }, (_, column) => ({
        ...button,
        label: long(80),
        custom_id: `${index}${column}${long(98)}`,
      })),
    ).flatMap((each) => row(...each));
    const { status } = await send({ content: long(2000), embeds, components: rows, nonce: long(25) });
    expect(status).toBe(200);
  });
});
