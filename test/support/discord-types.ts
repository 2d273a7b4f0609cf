import { z } from 'zod';

/** The zod schemas of `discord-api-spec`. The package has no types for them, so each is taken out by its name. */
const schemas: Readonly<Record<string, unknown>> = await import(import.meta.resolve('discord-api-spec/zod'));

/** The schema of a type of the document. */
export function schemaByName(name: string): z.ZodType {
  const schema = schemas[`${name}Schema`];
  if (!(schema instanceof z.core.$ZodType)) throw new Error(`discord-api-spec has no schema of ${name}`);
  return z.lazy(() => schema as z.ZodType);
}

const plain: Readonly<Record<string, z.ZodType>> = {
  null: z.null(),
  undefined: z.undefined(),
  unknown: z.undefined(),
  string: z.string(),
  number: z.number(),
  boolean: z.boolean(),
  never: z.never('The document knows no such answer'),
};

/** The schema of a type as it is written in the document's interface: names, `|`, `[]` and brackets. */
export function schemaOfType(written: string): z.ZodType {
  const words = written.match(/[\w.]+|\[\]|[^\s\w]/g) ?? [];
  const schema = alternatives(words);
  if (words.length > 0) throw new Error(`This type cannot be read: ${written.trim()}`);
  return schema;
}

function alternatives(words: string[]): z.ZodType {
  const found: z.ZodType[] = [];
  do {
    if (words[0] === '|') words.shift();
    found.push(one(words));
  } while (words[0] === '|');
  const [only, ...others] = found;
  return only !== undefined && others.length === 0 ? only : z.union(found);
}

function one(words: string[]): z.ZodType {
  const word = words.shift() ?? '';
  let schema = word === '(' ? alternatives(words) : (plain[word] ?? schemaByName(word));
  if (word === '(' && words.shift() !== ')') throw new Error('A bracket is not closed');
  for (; words[0] === '[]'; words.shift()) schema = z.array(schema);
  return schema;
}
