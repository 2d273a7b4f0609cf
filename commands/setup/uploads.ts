import { selectedValues, textField } from '../../src/discord/commands/input.ts';
import { fileSuffix } from './form.ts';
import type { Problem } from './results.ts';
import type { SetupView } from './view.ts';

/** The input with the texts of uploaded files in the fields that they are for, below what was typed there. */
export async function withUploads({ input, services, texts }: SetupView): Promise<SetupView['input'] | Problem> {
  const fields = { ...input.fields };
  for (const name of Object.keys(fields).filter((each) => each.endsWith(fileSuffix))) {
    const file = input.resolved.files?.[selectedValues(input, name)[0] ?? ''];
    if (file === undefined) continue;
    const text = await services.checks.readUpload(file);
    if (text === null) return { text: texts.setup.problems.file, hint: texts.setup.problems.fileHint };
    const typed = name.slice(0, -fileSuffix.length);
    fields[typed] = `${textField(input, typed)}\n${text}`;
  }
  return { ...input, fields };
}
