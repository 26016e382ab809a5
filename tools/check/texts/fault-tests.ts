// SPDX-License-Identifier: Apache-2.0
import { onRealControlPlane } from '../../test/real-control-plane.ts';
import type { Check, Problem } from '../check.ts';
import { isTest, type Tree } from '../tree.ts';
import { citationsIn } from './citations.ts';
import { readRulebook } from './rulebook.ts';

/** A test, a group of tests or a table row that causes a fault. */
export interface FaultTest {
  readonly file: string;
  /** The title without the numbers of other lists before it. */
  readonly name: string;
  /** Real processes in the lab or with a real API server, a real Kubernetes, or neither. */
  readonly tier: 'lab' | 'real' | 'model';
  /** True for a test of the lab that also runs on a real control plane. */
  readonly isOnControlPlane: boolean;
}

/** One entry of docs/rules/faults.md, with its tests. */
export interface Fault {
  /** `7` or `R7`. */
  readonly number: string;
  readonly name: string;
  readonly line: number;
  readonly sentence: string;
  /** True if it must also be caused on a real control plane or a real Kubernetes. */
  readonly isMarked: boolean;
  readonly tests: readonly FaultTest[];
}

const page = 'docs/rules/faults.md';

/** The tests of these rules name faults without causing them. */
const others = /^(tools\/(check|generate)|test\/tutorials)\//;

/** Strings in the position of test names: in calls, as rows and as names of situations. */
const names = /(?:\(|\[|\bname:)\s*(['"`])((?:(?!\1|\n).)*\bfaults? R?\d(?:(?!\1|\n).)*)\1/gi;

/**
 * Every fault is caused by a test, every fault of clusters by one with real processes, and those with the mark by one on a real control
 * plane or a real Kubernetes, too.
 */
export const faultsAreCaused: Check = {
  name: 'faults have tests',
  async run(tree) {
    if (!tree.has(page)) return { problems: [], notes: [`no faults (${page})`] };
    const faults = faultTests(tree);
    return { problems: [...gaps(faults), ...faults.flatMap(untested), ...faults.flatMap(unreal)] };
  },
};

/** All faults in the order of the page. Reads only texts. */
export function faultTests(tree: Tree): readonly Fault[] {
  const found = tree.files.filter((file) => isTest(file) && !others.test(file)).flatMap((file) => testsIn(tree, file));
  const lines = tree.read(page).split('\n');
  const { entries } = readRulebook(tree);
  return entries
    .filter(({ file }) => file === page)
    .map(({ citation, name, line }) => ({
      number: citation.replace('fault ', ''),
      name,
      line,
      ...bodyOf(lines.slice(line)),
      tests: found.filter(({ causes }) => causes.includes(citation)).map(({ causes: _causes, ...test }) => test),
    }));
}

function testsIn(tree: Tree, file: string): readonly (FaultTest & { readonly causes: readonly string[] })[] {
  return [...tree.read(file).matchAll(names)].flatMap(([, , text = '']) => {
    const causes = citationsIn(text).flatMap(({ names: cited = [] }) =>
      cited.filter((one) => one.startsWith('fault ')),
    );
    return causes.length === 0
      ? []
      : [{ file, name: text.replace(/^(?:(?:\[\d+\]|[CD]-?\d+),? )+/, ''), ...placeOf(file), causes }];
  });
}

function placeOf(file: string): Pick<FaultTest, 'tier' | 'isOnControlPlane'> {
  const isOnControlPlane = onRealControlPlane.includes(file);
  if (/\.e2e\.test\.ts$/.test(file)) return { tier: 'real', isOnControlPlane };
  return { tier: /\.(lab|long|conformance)\.test\.ts$/.test(file) ? 'lab' : 'model', isOnControlPlane };
}

/** The mark and the first sentence of an entry. */
function bodyOf(lines: readonly string[]): Pick<Fault, 'sentence' | 'isMarked'> {
  const [, mark, text = ''] = /^(● )?(.*)$/s.exec((lines.join(' ').trim().split(' ### ')[0] ?? '').trim()) ?? [];
  const sentence = (/^.*?\.(?= |$)/.exec(text)?.[0] ?? text).replaceAll(/\s+/g, ' ');
  return { sentence, isMarked: mark !== undefined };
}

function gaps(faults: readonly Fault[]): readonly Problem[] {
  const numbers = faults.flatMap(({ number }) => (number.startsWith('R') ? [] : [Number(number)]));
  const missing = Array.from({ length: Math.max(0, ...numbers) }, (_, index) => index + 1).filter(
    (number) => !numbers.includes(number),
  );
  return missing.map((number) => ({
    rule: 'fault-left-out',
    file: page,
    message: `there is no fault ${number}: faults are numbered without gaps`,
  }));
}

function untested({ number, name, line, tests }: Fault): readonly Problem[] {
  const isCaused = tests.some(({ tier }) => number.startsWith('R') || tier === 'lab');
  const message = `no ${number.startsWith('R') ? 'test' : 'lab test'} is called "fault ${number}: ..." (${name}): write one that causes it`;
  return isCaused ? [] : [{ rule: 'fault-without-test', file: page, line, message }];
}

function unreal({ number, name, line, isMarked, tests }: Fault): readonly Problem[] {
  if (!isMarked || tests.some(({ tier, isOnControlPlane }) => tier === 'real' || isOnControlPlane)) return [];
  const message = `no test of fault ${number} (${name}) runs on a real control plane: name its file in tools/test/real-control-plane.ts`;
  return [{ rule: 'fault-not-on-control-plane', file: page, line, message }];
}
