// SPDX-License-Identifier: Apache-2.0
import type { Kind } from '@operator-parts/crd';
import { isKubeError, jsonEqual, type KubeObject, type Resource } from '@operator-parts/kube';
import { systemClock } from '@operator-parts/ports';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { installCrd } from '../../api/install-crd.ts';
import type { JsonFields } from '../../api/json-fields.ts';
import { ApiServerScene } from '../../testing/api-server-scene.ts';
import { exampleFor } from './examples.ts';
import { type Leaf, leavesOf, specSchema } from './leaves.ts';
import { withLeaf } from './place.ts';
import { StoredSpec } from './stored-spec.ts';
import { type BadValue, badValuesOf, NoValue, valuesOf } from './values.ts';

/** The result of a spec, computed without an API server, a store or a node. */
export interface Outcome {
  /** Why the spec cannot be followed, as the conditions report it; empty if the spec can be followed. */
  readonly refusal: string;
  /** What the operator creates for the spec: objects, orders, connections. */
  readonly made: unknown;
  /** Settings that the operator follows, but that no created object shows. */
  readonly kept: unknown;
}

export interface WalkedKind {
  readonly kind: Kind & { readonly resource: Resource<KubeObject> };
  /** A valid spec in which the leaves are set. */
  readonly base: JsonFields;
  /** Total: for any stored spec, even one from before the schema existed, it returns an outcome and never throws. */
  readonly outcomeOf: (spec: JsonFields) => Promise<Outcome>;
  /** True for leaves of a type that another test covers completely. Here one value is stored, made invalid and corrected. */
  readonly isWalkedElsewhere?: (path: string) => boolean;
  /** Leaves that no created object shows, each with the reason. */
  readonly notMade: Readonly<Record<string, string>>;
  /** Paths of fields for which the operator replaces some values by others (such as a limit), each with the reason. */
  readonly readOtherwise: Readonly<Record<string, string>>;
}

/**
 * Tests every leaf of a kind: set, change, remove, bad values and their correction. A valid value is stored as declared and has its effect.
 * A bad value is rejected, reported or followed, and never causes an exception; after its correction no trace is left. All values are made
 * from the schema, so a new field is tested as soon as it is declared. This function declares the tests.
 */
export function walkKind(walked: WalkedKind): void {
  const { kind, notMade, readOtherwise } = walked;
  const leaves = leavesOf(specSchema(kind));
  let scene: ApiServerScene;

  beforeAll(async () => {
    scene = await ApiServerScene.open();
    const { signal } = new AbortController();
    await installCrd(kind, { client: scene.client, clock: systemClock, log: scene.logger(), signal });
  });
  afterAll(() => scene?.[Symbol.asyncDispose]());

  test.each(leaves)('$path', async (leaf) => {
    expect(await walkLeaf(walked, leaf, scene)).toEqual([]);
  });

  test('every exception is of a leaf that there is', () => {
    const paths = new Set(leaves.map(({ path }) => path));
    expect(Object.keys({ ...notMade, ...readOtherwise }).filter((path) => !paths.has(path))).toEqual([]);
  });
}

/** Sentences about everything that went wrong. */
async function walkLeaf(walked: WalkedKind, leaf: Leaf, scene: ApiServerScene): Promise<readonly string[]> {
  const { kind, base, outcomeOf } = walked;
  const at = (value: unknown) => withLeaf(specSchema(kind), base, leaf, value);
  const isBrief = walked.isWalkedElsewhere?.(leaf.path) ?? false;
  const values = valuesOf(leaf);
  const written = values.slice(0, isBrief ? 1 : undefined);
  const bad = badValuesOf(leaf).slice(0, isBrief ? 2 : undefined);
  const object = await StoredSpec.create(kind, scene.client, base);
  const faults: string[] = [];
  for (const [index, value] of [...written, undefined].entries()) {
    if (exampleFor(leaf.path)?.isFixed && index > 0 && value !== undefined) {
      if (await object.write(at(value)).then(() => true, refused)) faults.push('it is changed, though it is fixed');
      await object.write(base);
    }
    const stored = await accepted(leaf, object.write(at(value)));
    if (!jsonEqual(stored, at(value))) faults.push(`${JSON.stringify(value)} is stored as something else`);
  }
  const outcomes = await Promise.all([...values, undefined].map((value) => outcomeOf(at(value))));
  faults.push(...madeFaults(walked, leaf, values, outcomes));
  for (const one of bad)
    faults.push(...(await badFaults(walked, leaf, one, { object, spec: at(one.value), outcomes })));
  const [first] = values;
  await object.write(at(first));
  if (!jsonEqual(await object.read(), at(first))) faults.push('it is not stored as declared after it was corrected');
  if (!jsonEqual(await outcomeOf(at(first)), outcomes[0])) faults.push('what comes of it depends on what was there');
  await object.delete();
  return faults;
}

/** Checks that valid values have their effect. The last outcome is that of the spec without a value. */
function madeFaults(
  { notMade }: WalkedKind,
  leaf: Leaf,
  values: readonly unknown[],
  outcomes: readonly Outcome[],
): readonly string[] {
  const isException = Object.hasOwn(notMade, leaf.path);
  const texts = outcomes.slice(0, -1).map(({ made, kept }) => JSON.stringify(isException ? kept : made));
  const refusals = outcomes.filter(({ refusal }) => refusal !== '').map(({ refusal }) => `it is refused: ${refusal}`);
  const isIdle = new Set(texts).size < values.length;
  const hidden = values.filter((value, index) => isShown(leaf, value, texts[index]) === false);
  const isStale = isException && isShown(leaf, values[0], JSON.stringify(outcomes[0]?.made));
  return [
    ...refusals,
    ...(isIdle ? ['its values make no difference: use them, or say in notMade of the walk why not'] : []),
    ...hidden.map((value) => `${JSON.stringify(value)} is nowhere in what is made`),
    ...(isStale ? ['what is made shows it: remove it from notMade of the walk'] : []),
  ];
}

interface Trial {
  readonly object: StoredSpec;
  readonly spec: JsonFields;
  readonly outcomes: readonly Outcome[];
}

async function badFaults(
  walked: WalkedKind,
  leaf: Leaf,
  { what, value, isRefused }: BadValue,
  { object, spec, outcomes }: Trial,
): Promise<readonly string[]> {
  const isAdmitted = await object.write(spec).then(() => true, refused);
  if (isAdmitted && isRefused === 'surely') return [`a value that ${what} is admitted`];
  // Rejected values are checked too, because objects may have been stored before the schema existed.
  const outcome = await walked.outcomeOf(spec);
  return isAdmitted && !isFair(walked, leaf, value, outcome, outcomes.at(-1))
    ? [`a value that ${what} is admitted, and neither followed nor told`]
    : [];
}

/** True if an accepted value is reported as wrong, or has its effect. */
function isFair(
  { readOtherwise }: WalkedKind,
  leaf: Leaf,
  value: unknown,
  outcome: Outcome,
  without?: Outcome,
): boolean {
  if (outcome.refusal !== '' || Object.hasOwn(readOtherwise, leaf.path) || value === '' || value === null) return true;
  if (exampleFor(leaf.path)?.isEffect) return !jsonEqual(outcome, without);
  return isShown(leaf, value, JSON.stringify([outcome.made, outcome.kept])) !== false;
}

/** True if a value appears in the created objects; undefined if a search is pointless because the value could also come from elsewhere. */
function isShown({ path, schema }: Leaf, value: unknown, text = ''): boolean | undefined {
  if (schema.enum || exampleFor(path)?.isEffect) return undefined;
  if (typeof value === 'number' && Math.abs(value) > 99) return text.includes(String(value));
  // Searches for the JSON form of the value, without its quotation marks.
  return typeof value === 'string' && value.length > 1 ? text.includes(JSON.stringify(value).slice(1, -1)) : undefined;
}

function refused(error: unknown): false {
  if (isKubeError(error, 'Invalid')) return false;
  throw error;
}

async function accepted<T>({ path }: Leaf, writing: Promise<T>): Promise<T> {
  try {
    return await writing;
  } catch (error) {
    if (!isKubeError(error, 'Invalid')) throw error;
    throw new NoValue(path, `the API server refuses the value that was made for it (${error.message})`);
  }
}
