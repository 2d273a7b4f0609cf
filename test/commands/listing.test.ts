import { describe, expect, it } from 'vitest';
import type { Command } from '../../commands/context.ts';
import { commands } from '../../commands/index.ts';
import { selectedListing } from '../../commands/listing.ts';
import { findChoice, searchChoices } from '../../src/discord/commands/choices.ts';
import type { ListedLookup } from '../../src/discord/commands/command.ts';
import { bot, contextFor, fakeLookup, inputOf, memberId, server } from '../support/command-fixture.ts';

const choices = (...names: string[]) => names.map((name) => ({ name, value: name }));
const namesOf = (found: readonly { name: string }[]) => found.map(({ name }) => name);

describe('the choices of an option', () => {
  const harbours = choices('old-harbour', 'Harbour', 'sunharbour', 'harbour-2', 'Café', 'lighthouse');

  it('are found in any case, the best first', () => {
    expect(namesOf(searchChoices('HARBOUR', harbours))).toEqual(['Harbour', 'harbour-2', 'old-harbour', 'sunharbour']);
    expect(namesOf(searchChoices(' cafe', harbours))).toEqual(['Café']);
    expect(namesOf(searchChoices('malaga', choices('Málaga')))).toEqual(['Málaga']);
    expect(searchChoices('boat', harbours)).toEqual([]);
  });

  it('are found by the start of a later word, also after the same letters within one', () => {
    expect(namesOf(searchChoices('on', choices('salon', 'salon-on', 'on')))).toEqual(['on', 'salon-on', 'salon']);
  });

  it('are found by the value as well', () => {
    const renamed = [{ name: 'Bot', value: 'lamplighter' }];
    expect(searchChoices('lamp', renamed)).toEqual(renamed);
    expect(findChoice('LAMPLIGHTER', renamed)).toEqual(renamed[0]);
    expect(findChoice('lamp', renamed)).toBe(undefined);
  });

  it('are the first 25 without a text, and at most 25 with one', () => {
    const many = choices(...Array.from({ length: 1_000 }, (_, place) => `listing ${place}`));
    expect(searchChoices('', many)).toEqual(many.slice(0, 25));
    expect(searchChoices('1', many)).toHaveLength(25);
    expect(namesOf(searchChoices('999', many))).toEqual(['listing 999']);
  });
});

/** Servers `harbour-1` to `harbour-n`, and one bot. */
function manyListings(count: number): ListedLookup[] {
  const lookup = fakeLookup('server', { profile: async () => server });
  return [
    ...Array.from({ length: count - 1 }, (_, place) => ({ name: `harbour-${place + 1}`, lookup })),
    { name: 'lamplighter', lookup: fakeLookup('bot', { profile: async () => bot }) },
  ];
}

const withListing: readonly Command[] = commands.filter(
  ({ name, autocomplete }) => name !== 'help' && autocomplete !== undefined,
);
const optionOf = (command: Command, count: number) =>
  command.describe(contextFor(...manyListings(count))).options.find(({ name }) => name === 'listing');

describe('the option "listing"', () => {
  it('has kinds as choices, and autocomplete where there are names, which may change', () => {
    expect(withListing.map(({ name }) => name).sort()).toEqual(['canvote', 'claim', 'remind', 'reviews', 'stats']);
    for (const command of withListing) {
      if (command.name !== 'reviews') expect(optionOf(command, 2)).not.toHaveProperty('autocomplete');
      const option = optionOf(command, 30);
      expect(option).toMatchObject({ autocomplete: true });
      expect(option).not.toHaveProperty('choices');
    }
  });

  it('belongs to a command with autocomplete wherever it is typed', () => {
    for (const command of commands) {
      const { options } = command.describe(contextFor(...manyListings(30)));
      const isTyped = options.some((option) => 'autocomplete' in option && option.autocomplete);
      expect([command.name, isTyped]).toEqual([command.name, command.autocomplete !== undefined]);
    }
  });

  it.each([30, 1_000])('is completed from %i listings', async (count) => {
    const context = contextFor(...manyListings(count));
    for (const command of withListing) {
      const complete = async (typed: string) =>
        command.autocomplete?.(
          { option: 'listing', typed, options: {}, userId: memberId, guildId: null, isManager: false },
          context,
        );
      expect((await complete(''))?.map(({ value }) => value)).toEqual(
        Array.from({ length: 25 }, (_, place) => `harbour-${place + 1}`),
      );
      expect((await complete('HARBOUR-2'))?.slice(0, 2)).toEqual(choices('harbour-2', 'harbour-20'));
      expect(await complete(`${count - 1}`)).toEqual(choices(`harbour-${count - 1}`));
      // Bots have no reviews.
      expect(await complete('bo')).toEqual(
        command.name === 'reviews' ? expect.anything() : expect.arrayContaining([{ name: 'bot', value: 'bot' }]),
      );
      expect(await complete('#'.repeat(6_000))).toEqual([]);
    }
  });

  it('selects a typed name in any case', () => {
    const context = contextFor(...manyListings(1_000));
    expect(selectedListing(inputOf({ listing: 'harbour-999' }), context).name).toBe('harbour-999');
    expect(selectedListing(inputOf({ listing: 'Harbour-7' }), context).name).toBe('harbour-7');
    expect(selectedListing(inputOf({ listing: 'BOT' }), context).name).toBe('lamplighter');
    expect(selectedListing(inputOf(), context).name).toBe('harbour-1');
  });

  it('rejects a typed name that does not exist, and names those that look like it', () => {
    const context = contextFor(...manyListings(1_000));
    const select = (listing: string) => () => selectedListing(inputOf({ listing }), context);
    expect(select('77')).toThrow(
      'There is no listing **77**. Choose one of these, or one of 990 more: harbour-77, harbour-770, harbour-771, ' +
        'harbour-772, harbour-773, harbour-774, harbour-775, harbour-776, harbour-777, harbour-778.',
    );
    expect(select('habrour-5')).toThrow('more: harbour-5, harbour-1, harbour-2,');
    expect(select('@everyone')).toThrow('no listing **@\u200Beveryone**');
    expect(select('x'.repeat(6_000))).toThrow(/^There is no listing \*\*x{100}\*\*/);
  });
});
