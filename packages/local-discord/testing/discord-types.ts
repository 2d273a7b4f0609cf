import { z } from 'zod';

/** The zod schemas of `discord-api-spec`. The package has no types for them, so they are looked up by name. */
const schemas: Readonly<Record<string, unknown>> = await import(import.meta.resolve('discord-api-spec/zod'));

/** Returns the schema of a type of the document. */
export function schemaByName(name: string): z.ZodType {
  const schema = schemas[`${name}Schema`];
  if (!(schema instanceof z.core.$ZodType)) throw new Error(`discord-api-spec has no schema for ${name}`);
  return z.lazy(() => schema as z.ZodType);
}

const primitiveSchemas: Readonly<Record<string, z.ZodType>> = {
  null: z.null(),
  undefined: z.undefined(),
  unknown: z.undefined(),
  string: z.string(),
  number: z.number(),
  boolean: z.boolean(),
  never: z.never('The document has no such response'),
};

/** Parses a TypeScript type of the document into a schema. Supports names, `|`, `[]`, parentheses and objects. */
export function schemaOfType(typeText: string): z.ZodType {
  const tokens = typeText.match(/[\w.]+|\[\]|[^\s\w]/g) ?? [];
  const schema = parseUnion(tokens);
  if (tokens.length > 0) throw new Error(`This type cannot be parsed: ${typeText.trim()}`);
  return schema;
}

function parseUnion(tokens: string[]): z.ZodType {
  const members: z.ZodType[] = [];
  do {
    if (tokens[0] === '|') tokens.shift();
    members.push(parseType(tokens));
  } while (tokens[0] === '|');
  const [only, ...others] = members;
  return only !== undefined && others.length === 0 ? only : z.union(members);
}

function parseType(tokens: string[]): z.ZodType {
  const token = tokens.shift() ?? '';
  let schema =
    token === '('
      ? parseUnion(tokens)
      : token === '{'
        ? parseObject(tokens)
        : (primitiveSchemas[token] ?? schemaByName(token));
  if (token === '(' && tokens.shift() !== ')') throw new Error('A parenthesis is not closed');
  for (; tokens[0] === '[]'; tokens.shift()) schema = z.array(schema);
  return schema;
}

/** The fields of an object after its brace: `name?: type;`. */
function parseObject(tokens: string[]): z.ZodType {
  const fields: Record<string, z.ZodType> = {};
  for (let name = tokens.shift(); name !== '}'; name = tokens.shift()) {
    const isOptional = tokens[0] === '?' && tokens.shift() === '?';
    if (name === undefined || tokens.shift() !== ':') throw new Error('A field of an object has no type');
    const schema = parseUnion(tokens);
    fields[name] = isOptional ? schema.optional() : schema;
    if (tokens[0] === ';') tokens.shift();
  }
  return z.strictObject(fields);
}
