import type { Response } from 'express';
import { sendText } from './send-text.ts';

/** A JSON object: single values, then lists in chunks. */
interface ExportFile {
  readonly name: string;
  readonly values: Readonly<Record<string, unknown>>;
  readonly lists: Readonly<Record<string, AsyncIterable<readonly unknown[]>>>;
}

/** Sends a file for download. Its lists are read as fast as the client receives, until it goes away. */
export async function sendExport(response: Response, file: ExportFile): Promise<void> {
  response.set({
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Disposition': `attachment; filename="${file.name}"`,
  });
  await sendText(response, toJson(file));
}

async function* toJson({ values, lists }: ExportFile): AsyncGenerator<string> {
  yield JSON.stringify(values, null, 2).slice(0, -2);
  for (const [name, chunks] of Object.entries(lists)) {
    yield `,\n  ${JSON.stringify(name)}: [`;
    let separator = '\n    ';
    for await (const chunk of chunks) {
      let text = '';
      for (const item of chunk) {
        text += separator + JSON.stringify(item);
        separator = ',\n    ';
      }
      if (text !== '') yield text;
    }
    yield '\n  ]';
  }
  yield '\n}\n';
}
