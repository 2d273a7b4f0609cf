import { style, text } from './announcement-forms.ts';
import { channels, reminders } from './channel-forms.ts';
import type { Form } from './form.ts';
import { credits, milestone, multiplier, party, streak } from './reward-forms.ts';
import { roles, tier } from './role-forms.ts';
import { item, limits } from './shop-forms.ts';

/** All forms that edit settings, by the names in the ids of their buttons. */
export const forms = {
  ...{ channels, reminders, credits, streak, party, milestone, multiplier },
  ...{ roles, tier, style, text, item, limits },
} as const satisfies Record<string, Form>;

export type FormName = keyof typeof forms;

export function findForm(name: unknown): { readonly name: FormName; readonly form: Form } | null {
  const entry = Object.entries(forms).find(([each]) => each === name);
  return entry === undefined ? null : { name: entry[0] as FormName, form: entry[1] };
}
