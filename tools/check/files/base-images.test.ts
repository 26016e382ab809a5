// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { problemsWith } from '../fixture-tree.ts';
import { baseImages } from './base-images.ts';

const digest = `@sha256:${'a'.repeat(64)}`;

async function lines(text: string, file = 'Containerfile'): Promise<readonly (number | undefined)[]> {
  return (await problemsWith(baseImages, { [file]: text })).map(({ line }) => line);
}

describe('a base image', () => {
  test('is nothing, an earlier stage, or pinned by digest', async () => {
    const text = `FROM example.com/node:24${digest} AS build\nRUN true\nFROM build AS more\nFROM --platform=x more\nFROM scratch\n`;
    expect(await lines(text)).toEqual([]);
  });

  test.each([
    ['a tag', 'FROM example.com/node:24'],
    ['no tag', 'from node'],
    ['a variable', 'FROM $BASE'],
    ['a variable at a digest', `FROM $BASE${digest}`],
    ['a digest that is cut', `FROM node${digest.slice(0, 40)}`],
    ['a later stage', 'FROM later\nFROM scratch AS later'],
  ])('is not %s', async (_, text) => {
    expect(await lines(`# a comment\n${text}\n`)).toEqual([2]);
    expect(await lines(`# a comment\n${text}\n`, 'example/x/Dockerfile.debug')).toEqual([2]);
  });

  test('is asked for in files of these names alone', async () => {
    expect(await lines('FROM node:24', 'docs/containers.md')).toEqual([]);
  });
});
