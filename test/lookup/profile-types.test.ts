import { expectTypeOf, it } from 'vitest';
import {
  type BotProfile,
  type CachedValue,
  createLookup,
  type Lookup,
  type ServerProfile,
} from '../../src/exports/client.ts';

const options = { baseUrl: 'https://list.example/api/v1', key: 'the-key' };

it('the profile of a client has the type that its kind decides', () => {
  const server = createLookup({ ...options, kind: 'server' });
  const bot = createLookup({ ...options, kind: 'bot' });
  expectTypeOf(server.profile).returns.resolves.toEqualTypeOf<CachedValue<ServerProfile>>();
  expectTypeOf(bot.profile).returns.resolves.toEqualTypeOf<CachedValue<BotProfile>>();
  expectTypeOf<Lookup['profile']>().returns.resolves.toEqualTypeOf<CachedValue<ServerProfile | BotProfile>>();
  expectTypeOf(server).toExtend<Lookup>();
});

it('lists whose elements the document does not show are of unknown elements', () => {
  expectTypeOf<ServerProfile['features']>().toEqualTypeOf<readonly unknown[]>();
  expectTypeOf<ServerProfile['emojis']>().toEqualTypeOf<readonly unknown[]>();
  expectTypeOf<ServerProfile['rules']>().toEqualTypeOf<readonly unknown[]>();
});
