import type { ServerResponse } from 'node:http';
import type { Clock } from '@tallyhook/platform/clock';
import type { Html } from '@tallyhook/platform/web/html';
import type { z } from 'zod';
import type { PageScript } from '../web/page-script.ts';

/** Actions of a page, by the path of a POST request: `/page/messages`. */
export type Actions = Readonly<Record<string, { readonly schema: z.ZodType; perform(input: never): unknown }>>;

/** How a program presents the page as its own. */
export interface PageFace {
  /** The program in messages: "The sandbox is unreachable." */
  readonly name: string;
  readonly title: string;
  /** The name of its file. */
  readonly icon: string;
  /** Above the column beside the chat, and on narrow screens above both: in the grid area `top`. */
  readonly top?: Html;
  /** The column beside the chat: on narrow screens a view of its own. */
  readonly aside: { readonly name: string; readonly content: Html };
  readonly dialogs?: Html;
  /** Hints below the fields for the languages of a member and of the guild. */
  readonly languages: { readonly ofMember: string; readonly ofGuild: string };
  /** Calls `startPage` with the views of the program. */
  readonly script: PageScript;
  /** Stylesheets, which are loaded after those of the page, and pictures. */
  files?(): readonly URL[];
}

/** A program's addition to the page. Its browser side is in `script`. */
export interface PageExtension extends PageFace {
  /** Called once, before the page is served. */
  connect(page: PageConnection): ConnectedExtension;
}

export interface PageConnection {
  /** The ids of all members. */
  readonly userIds: readonly string[];
  /** Real time. */
  readonly stopwatch: Clock;
  /** Sends an event to every open page, where it is a change of its store. */
  send(event: { readonly kind: string }): void;
  /** Calls the listener after each new line of Discord's activity. */
  onActivity(listener: () => void): void;
}

export interface ConnectedExtension {
  readonly actions: Actions;
  /** Handlers of GET requests, by paths of its own. */
  readonly paths: Readonly<Record<string, (response: ServerResponse) => void>>;
  /** Awaited before the first state is sent to a page. */
  prepare(): Promise<void>;
  /** The part of the first state that this extension adds. */
  state(): object;
}
