// SPDX-License-Identifier: Apache-2.0
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { removeLeftovers } from './build/build-directory.ts';
import { acquireLock } from './build/build-lock.ts';
import { asNoSpace, requireSpace } from './build/free-space.ts';
import { interruptedBySignals } from './build/interruption.ts';
import { fromPathDirectory, makePart } from './build/make-part.ts';
import { type Progress, plainProgress } from './build/progress.ts';
import { cacheDirectory, partKey, partsDirectory } from './cache-directory.ts';
import { readPart } from './manifest.ts';
import { type Part, PartError, type PartOptions } from './part.ts';
import type { PartTable, Recipe } from './recipes/recipe.ts';
import { partTable } from './table.ts';

/**
 * Provides a part ('etcd@3.6', 'kube-apiserver', ...) and returns its location: at once if it is cached, otherwise
 * after building or unpacking it.
 *
 * Guarantees: the result was run once on this machine; a part is complete or absent, even if the process is killed; if
 * several processes want the same part, one builds it and the others wait. Rejects with a PartError.
 */
export function ensurePart(name: string, options: PartOptions = {}): Promise<Part> {
  return ensureFrom(partTable, name, options);
}

/** The names that `ensurePart` accepts, in the order of the table. */
export function knownParts(): readonly string[] {
  return Object.keys(partTable);
}

/** A cached part; undefined if it would have to be built. */
export function partIfCached(name: string): Promise<Part | undefined> {
  return cachedPart(partTable, name);
}

/** The version of a part that `ensurePart` provides. */
export function partVersion(name: string): string {
  return recipeOf(partTable, name).version;
}

/** Additional settings of the command line and of tests. */
export interface EnsureOptions extends PartOptions {
  /** @default process.env */
  readonly environment?: NodeJS.ProcessEnv;
  /** Replaces `report`. */
  readonly progress?: Progress;
}

/** `ensurePart` on any table. */
export async function ensureFrom(table: PartTable, name: string, options: EnsureOptions = {}): Promise<Part> {
  const cached = await cachedPart(table, name, options);
  if (cached) return cached;
  if (options.signal) return make(table, name, { ...options, signal: options.signal });
  using interruption = interruptedBySignals();
  return await make(table, name, { ...options, signal: interruption.signal });
}

type MakeOptions = EnsureOptions & { readonly signal: AbortSignal };

async function make(table: PartTable, name: string, options: MakeOptions): Promise<Part> {
  const recipe = recipeOf(table, name);
  const members: Part[] = [];
  if (recipe.kind === 'collection') {
    for (const member of recipe.parts) members.push(await ensureFrom(table, member, options));
  }
  const { parts } = placeOf(table, name, options);
  try {
    return await makeAlone(table, name, members, options);
  } catch (error) {
    throw normalised(name, parts, recipe, options.signal, error);
  }
}

/** The part if it is cached. */
export async function cachedPart(
  table: PartTable,
  name: string,
  options: EnsureOptions = {},
): Promise<Part | undefined> {
  const { directory } = placeOf(table, name, options);
  const built = await readPart(name, directory);
  if (built || options.fromPath === false) return built;
  return readPart(name, fromPathDirectory(directory));
}

/** Builds a part, or waits while another process builds it. */
async function makeAlone(
  table: PartTable,
  name: string,
  members: readonly Part[],
  options: MakeOptions,
): Promise<Part> {
  const recipe = recipeOf(table, name);
  const { parts, directory } = placeOf(table, name, options);
  const progress = options.progress ?? plainProgress(options.report ?? (() => {}));
  await mkdir(parts, { recursive: true });
  let waiting: ReturnType<Progress['begin']> | undefined;
  const lock = await acquireLock(join(parts, '.locks'), partKey(table, name, recipe), {
    signal: options.signal,
    onWait: ({ pid }) => {
      waiting = progress.begin(`${name} (${recipe.version}): waiting for process ${pid}, which is making it`);
    },
  }).finally(() => waiting?.end());
  try {
    const madeMeanwhile = await cachedPart(table, name, options);
    if (madeMeanwhile) return madeMeanwhile;
    await removeLeftovers(parts);
    await requireSpace(name, parts, recipe.bytesNeeded);
    return await makePart({
      name,
      recipe,
      parts,
      directory,
      members,
      fromPath: options.fromPath ?? true,
      progress,
      environment: options.environment ?? process.env,
      signal: options.signal,
    });
  } finally {
    await lock.release();
  }
}

function placeOf(table: PartTable, name: string, options: EnsureOptions): { parts: string; directory: string } {
  const cache = options.cacheDirectory ?? cacheDirectory(options.environment);
  const parts = partsDirectory(cache);
  return { parts, directory: join(parts, partKey(table, name, recipeOf(table, name))) };
}

function recipeOf(table: PartTable, name: string): Recipe {
  const recipe = Object.hasOwn(table, name) ? table[name] : undefined;
  if (recipe) return recipe;
  throw new PartError('UnknownPart', `there is no part "${name}"; known are: ${Object.keys(table).join(', ')}`);
}

/** Converts any error to a PartError. */
function normalised(name: string, parts: string, recipe: Recipe, signal: AbortSignal, thrown: unknown): PartError {
  if (thrown instanceof PartError) return thrown;
  const error = asNoSpace(name, parts, recipe.bytesNeeded, thrown);
  if (error instanceof PartError) return error;
  if (signal.aborted) {
    return new PartError('Aborted', `${name}: stopped before it was complete; nothing was left behind`, {
      cause: error,
    });
  }
  const message = error instanceof Error ? error.message : String(error);
  return new PartError(
    'CacheUnusable',
    `${name} could not be put into ${parts} (${message}): make that directory writable, or set ETCD_OPERATOR_CACHE to another one`,
    { cause: error },
  );
}
