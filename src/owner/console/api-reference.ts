import { isObject, type JsonObject, listOf, objectOf, textOf, textsOf } from '@tallyhook/platform/json';
import { lookStyles, serveAsset } from '@tallyhook/platform/web/asset';
import { type Html, html } from '@tallyhook/platform/web/html';
import { pageFrame } from '@tallyhook/platform/web/page-frame';
import { Router } from 'express';
import { createOpenApi } from '../openapi.ts';
import { assetOptions, pageHeaders } from './console.ts';

/** The document of the API at `/openapi.json`, and at `/` as a page. Both are public: they contain no data. */
export function createApiReference(): Router {
  /** Made when somebody asks for them. */
  const texts = new Map<string, string>();
  function textOnce(key: string, create: (document: JsonObject) => string): string {
    const text = texts.get(key) ?? create(createOpenApi());
    texts.set(key, text);
    return text;
  }
  const router = Router();
  router.get('/openapi.json', (_request, response) => {
    response.type('json').send(textOnce('json', (document) => JSON.stringify(document)));
  });
  router.get('/console.css', (request, response, next) => {
    const styles = new URL('./console.css', import.meta.url);
    serveAsset(styles, { ...assetOptions, before: lookStyles() })(request, response, next);
  });
  router.get('/', pageHeaders, (request, response, next) => {
    if (request.accepts('html', 'json') !== 'html') return next();
    // The page is at an address with and without a slash at the end.
    const root = /\/(\?|$)/.test(request.originalUrl) ? './' : './api/';
    response.type('html').send(textOnce(root, (document) => referencePage(document, root).text));
  });
  return router;
}

function referencePage(document: JsonObject, root: string): Html {
  const { title, description } = objectOf(document['info']);
  const operations = Object.entries(objectOf(document['paths'])).flatMap(([path, methods]) =>
    Object.entries(objectOf(methods)).map(([method, operation]) => ({ method, path, operation: objectOf(operation) })),
  );
  const tags = listOf(document['tags']).map(({ name }) => textOf(name));
  const body = html`<h1>${textOf(title)}</h1>
<p>${textOf(description).replaceAll('`', '')}</p>
<p><a href="${root}openapi.json">openapi.json</a></p>
${tags.map(
  (tag) => html`<section class="card" aria-labelledby="${tag}"><h2 id="${tag}">${tag}</h2>
${operations
  .filter(({ operation }) => textsOf(operation['tags']).includes(tag))
  .map((each) => operationHtml(each, document))}</section>`,
)}`;
  const frame = {
    ...{ lang: 'en', skip: 'Skip to content', title: textOf(title), siteName: 'tallyhook' },
    home: { href: root === './' ? '../' : './', text: 'tallyhook' },
    ...{ stylesheet: `${root}console.css`, icon: null, navigation: null, message: null, footer: null },
  };
  return pageFrame(frame, body);
}

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly operation: JsonObject;
}

function operationHtml({ method, path, operation }: Operation, document: JsonObject): Html {
  const request = schemaIn(operation['requestBody']);
  const responses = Object.entries(objectOf(operation['responses']));
  const [success = null] = responses.filter(([status]) => status.startsWith('2')).map(([, each]) => schemaIn(each));
  const parameters = listOf(operation['parameters']);
  return html`<details><summary><code>${method.toUpperCase()} ${path}</code> ${textOf(operation['summary'])}</summary>
<p class="quiet">${textOf(operation['description']).replaceAll('`', '')}</p>
${
  parameters.length > 0 &&
  html`<h3>Parameters</h3>
<table><thead><tr><th scope="col">Name</th><th scope="col">In</th><th scope="col">Value</th></tr></thead>
<tbody>${parameters.map(
    ({ name, in: place, schema, description }) =>
      html`<tr><td data-name="Name"><code>${textOf(name)}</code></td><td data-name="In">${textOf(place)}</td><td data-name="Value">${valueHtml(objectOf(schema), textOf(description))}</td></tr>`,
  )}</tbody></table>`
}
${request && html`<h3>Body</h3>${fieldsHtml(request, document)}`}
${success && html`<h3>Response</h3>${fieldsHtml(success, document)}`}
<p class="quiet">${responses.map(([status]) => status).join(', ')}</p></details>`;
}

function schemaIn(value: unknown): JsonObject | null {
  const content = objectOf(objectOf(objectOf(value)['content'])['application/json']);
  return isObject(content['schema']) ? content['schema'] : null;
}

const maxDepth = 4;

/** The fields of an object, and those of the objects in them. */
function fieldsHtml(schema: JsonObject, document: JsonObject, depth = 0): Html | null {
  const { properties, items, anyOf } = resolved(schema, document);
  if (isObject(items)) return fieldsHtml(items, document, depth);
  if (!isObject(properties)) {
    const [inner] = listOf(anyOf).filter((each) => isObject(resolved(each, document)['properties']));
    return inner === undefined ? null : fieldsHtml(inner, document, depth);
  }
  return html`<ul>${Object.entries(properties).map(([name, value]) => {
    const field = objectOf(value);
    return html`<li><code>${name}</code> ${valueHtml(resolved(field, document), textOf(field['description']))}${depth < maxDepth && fieldsHtml(field, document, depth + 1)}</li>`;
  })}</ul>`;
}

function valueHtml(schema: JsonObject, description: string): Html {
  return html`<span class="quiet">${typeOf(schema)}</span> ${description.replaceAll('`', '')}`;
}

function resolved(schema: JsonObject, document: JsonObject): JsonObject {
  const name = /^#\/components\/schemas\/(.+)$/.exec(textOf(schema['$ref']))?.[1];
  return name === undefined ? schema : objectOf(objectOf(objectOf(document['components'])['schemas'])[name]);
}

function typeOf({ type, enum: choices, anyOf, const: only, items, $ref: reference }: JsonObject): string {
  if (only !== undefined) return JSON.stringify(only);
  if (textsOf(choices).length > 0) return textsOf(choices).join(' | ');
  if (textOf(type) === 'array') return `list of ${typeOf(objectOf(items)) || 'values'}`;
  if (listOf(anyOf).length > 0) return listOf(anyOf).map(typeOf).join(' or ');
  if (Array.isArray(type)) return textsOf(type).join(' or ');
  return textOf(type) || (reference === undefined ? 'any value' : 'object');
}
