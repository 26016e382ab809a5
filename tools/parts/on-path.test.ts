// SPDX-License-Identifier: Apache-2.0
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ensureFrom } from './ensure-part.ts';
import { standsInFor } from './on-path.ts';
import type { GoRecipe } from './recipes/recipe.ts';
import { isStaticProgram } from './recipes/static-program.ts';
import { goodBuild, goThat, Scene, tiny } from './testing/scene.ts';

describe('a version stands in for another', () => {
  test.each([
    ['3.6.16', '3.6.16', true],
    ['3.6.17', '3.6.16', true],
    ['3.6.100', '3.6.16', true],
    ['3.6.9', '3.6.16', false],
    ['3.7.16', '3.6.16', false],
    ['4.6.16', '3.6.16', false],
  ])('%s for %s: %s', (found, wanted, expected) => {
    expect(standsInFor(found, wanted)).toBe(expected);
  });

  test('exactly if the minor is the same and the patch is not older', () => {
    const part = fc.nat(120);
    fc.assert(
      fc.property(part, part, part, part, (minor, patch, otherMinor, otherPatch) => {
        const answer = standsInFor(`3.${otherMinor}.${otherPatch}`, `3.${minor}.${patch}`);
        expect(answer).toBe(otherMinor === minor && otherPatch >= patch);
      }),
    );
  });
});

describe('scripts on PATH', () => {
  const recipe: GoRecipe = { ...tiny, mayComeFromPath: true };
  let scene: Scene;

  beforeEach(async () => {
    scene = await Scene.create();
  });
  afterEach(() => scene.remove());

  test('are not used: an image could not run them', async () => {
    const PATH = await scene.pathWith({ go: goThat(goodBuild), tiny: '#!/bin/sh\necho tiny 1.0.5\n' });
    const part = await ensureFrom({ tiny: recipe }, 'tiny', { environment: scene.environment({ PATH }) });
    expect(part.version).toBe('1.0.0');
    expect(part.directory).not.toMatch(/-path$/);
  });
});

describe('a static program', () => {
  let scene: Scene;

  beforeEach(async () => {
    scene = await Scene.create();
  });
  afterEach(() => scene.remove());

  /** The smallest ELF file with one program header of this type. */
  function elf(type: number): Buffer {
    const file = Buffer.alloc(64 + 56);
    Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]).copy(file);
    file.writeBigUInt64LE(64n, 32);
    file.writeUInt16LE(56, 54);
    file.writeUInt16LE(1, 56);
    file.writeUInt32LE(type, 64);
    return file;
  }

  test.each([
    ['an ELF program without a loader', elf(1), true],
    ['an ELF program with a loader', elf(3), false],
    ['a cut ELF file', elf(1).subarray(0, 80), false],
    ['a script', Buffer.from('#!/bin/sh\n'), false],
    ['an empty file', Buffer.alloc(0), false],
  ])('%s', async (_what, bytes, expected) => {
    const file = join(scene.directory, 'program');
    await writeFile(file, bytes);
    expect(await isStaticProgram(file)).toBe(expected);
  });

  test('is not what cannot be read', async () => {
    expect(await isStaticProgram(join(scene.directory, 'none'))).toBe(false);
  });
});
