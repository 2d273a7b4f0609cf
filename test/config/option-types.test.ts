import { expectTypeOf, it } from 'vitest';
import type { z } from 'zod';
import type { AppAnnouncements, AppListing, AppRewards, AppShopItem } from '../../config/app-options.ts';
import type { listing } from '../../config/listings-file.ts';
import type { CustomSite } from '../../config/receiver-options.ts';

type FileListing = z.input<typeof listing>;
type Given<Name extends keyof FileListing> = NonNullable<FileListing[Name]>;
type NamesOf<Value> = Value extends readonly (infer Element)[]
  ? NamesOf<Element>
  : Value extends Value
    ? keyof Value
    : never;
/** The names in the first type that the second one lacks. */
type Missing<One, Other> = Exclude<NamesOf<One>, NamesOf<Other>>;

it('lets a program in TypeScript set what a file with listings can', () => {
  expectTypeOf<Missing<FileListing, AppListing>>().toBeNever();
  expectTypeOf<Missing<Given<'rewards'>, AppRewards>>().toBeNever();
  expectTypeOf<Missing<Given<'rewards'>['milestones'], AppRewards['milestones']>>().toBeNever();
  expectTypeOf<Missing<Given<'announcements'>, AppAnnouncements>>().toBeNever();
  expectTypeOf<Missing<Given<'shop'>, AppShopItem>>().toBeNever();
  expectTypeOf<Missing<Given<'guards'>, AppListing['guards']>>().toBeNever();
  expectTypeOf<Missing<Given<'webhooks'>, AppListing['webhooks']>>().toBeNever();
  expectTypeOf<'signature'>().toExtend<keyof CustomSite>();
});
