import type { FeatureServices, ServicesContext } from '../parts.ts';
import type { TokenStore } from './store.ts';
import { Tokens } from './tokens.ts';

export function createServices({
  store,
  clock,
  log,
}: ServicesContext & { readonly store: { readonly tokens: TokenStore } }) {
  return { shared: { tokens: new Tokens({ store: store.tokens, clock, log }) } } satisfies FeatureServices;
}
