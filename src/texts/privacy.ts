import type { Catalogue } from './catalogue.ts';
import type { Language } from './language.ts';

export function privacyTexts(messages: Catalogue['privacy'], { texts }: Language) {
  const { description, actionOption, actions, fileDescription, confirmButton, cancelButton, ...others } = messages;
  return {
    description,
    actionOption,
    actions,
    fileDescription,
    confirmButton,
    cancelButton,
    ...texts(others),
  };
}
