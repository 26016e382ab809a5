// SPDX-License-Identifier: Apache-2.0
import { basename, join } from 'node:path';
import type { Chapter } from './chapters.ts';
import { type Desk, typeChapter } from './typist.ts';

/** Chapters that are typed sequentially in the requested order, and others concurrently. */
export class Reading {
  readonly #repository: string;
  #last: Promise<unknown> = Promise.resolve();

  constructor(repository: string) {
    this.#repository = repository;
  }

  /** Returns how many commands were typed. */
  type(chapter: Chapter, desk: Desk): Promise<number> {
    const page = join(this.#repository, chapter.page);
    const folder = this.#folderOf(chapter, desk);
    if (chapter.meanwhile) return typeChapter(page, { ...desk, folder });
    const typed = this.#last.then(() => typeChapter(page, { ...desk, folder }));
    this.#last = typed.catch(() => undefined);
    return typed;
  }

  #folderOf({ page, folder, meanwhile }: Chapter, desk: Desk): string {
    if (folder !== undefined) return join(this.#repository, folder);
    return meanwhile ? join(desk.folder, basename(page, '.md')) : desk.folder;
  }
}
