// SPDX-License-Identifier: Apache-2.0
import type { Check, Problem } from '../check.ts';
import { isProduct, sourceFiles } from '../tree.ts';
import { identifierName, lineAt, moduleReferences, parse, type SyntaxNode, walk } from './syntax.ts';

type Input = 'hidden-time' | 'hidden-randomness';

/** Globals that are a hidden input when their name is used as a value. */
const globals: ReadonlyMap<string, Input> = new Map([
  ['setTimeout', 'hidden-time'],
  ['setInterval', 'hidden-time'],
  ['setImmediate', 'hidden-time'],
]);

/** Members of globals and of modules that are usually imported as a whole. */
const members: ReadonlyMap<string, Input> = new Map([
  ['Date.now', 'hidden-time'],
  ['performance.now', 'hidden-time'],
  ['process.nextTick', 'hidden-time'],
  ['process.hrtime', 'hidden-time'],
  ['AbortSignal.timeout', 'hidden-time'],
  ['Math.random', 'hidden-randomness'],
  ['crypto.randomUUID', 'hidden-randomness'],
  ['crypto.randomBytes', 'hidden-randomness'],
  ['crypto.randomInt', 'hidden-randomness'],
  ['crypto.getRandomValues', 'hidden-randomness'],
]);

/** Names that must not be imported; `*` means all exports of the module. */
const imports: Readonly<Record<string, { readonly input: Input; readonly names: readonly string[] }>> = {
  timers: { input: 'hidden-time', names: ['*'] },
  'timers/promises': { input: 'hidden-time', names: ['*'] },
  perf_hooks: { input: 'hidden-time', names: ['performance'] },
  crypto: {
    input: 'hidden-randomness',
    names: ['randomUUID', 'randomBytes', 'randomInt', 'randomFill', 'randomFillSync', 'getRandomValues'],
  },
};

/** A cheap search; a file without any of these words is not parsed. */
const suspicious =
  /\b(Date|setTimeout|setInterval|setImmediate|performance|process|AbortSignal|random\w*|getRandomValues|timers)\b/;

const remedies: Readonly<Record<Input, string>> = {
  'hidden-time': 'take a Clock from @operator-parts/ports as a parameter (now, monotonic, schedule, sleep)',
  'hidden-randomness': 'take a Random from @operator-parts/ports as a parameter (next, uuid, bytes)',
};

/**
 * Product code gets time and randomness as parameters, so that tests and simulations run it unchanged. Only
 * packages/ports uses the real ones; tests may.
 */
export const hiddenInputs: Check = {
  name: 'hidden time and randomness',
  async run(tree) {
    const files = sourceFiles(tree).filter((file) => isProduct(file) && !file.startsWith('packages/ports/'));
    const suspects = files.filter((file) => suspicious.test(tree.read(file)));
    return { problems: suspects.flatMap((file) => findIn(file, tree.read(file))) };
  },
};

function findIn(file: string, text: string): Problem[] {
  const problems: Problem[] = [];
  const report = (input: Input, what: string, offset: number) =>
    problems.push({
      rule: input,
      file,
      line: lineAt(text, offset),
      message: `${what} is a hidden input: ${remedies[input]}`,
    });
  const program = parse(file, text);
  for (const { specifier, names, offset } of moduleReferences(program)) {
    const banned = imports[specifier.replace(/^node:/, '')];
    const name = banned?.names.find((one) => one === '*' || names.includes(one));
    if (banned && name) report(banned.input, name === '*' ? `the module ${specifier}` : name, offset);
  }
  walk(program, (node, parent, field) => {
    const use = useOfInput(node, parent, field);
    if (use) report(use.input, use.what, node.start);
  });
  return problems;
}

function useOfInput(node: SyntaxNode, parent: SyntaxNode | undefined, field: string) {
  if (node.type === 'MemberExpression') return memberUse(node);
  if (isBareDate(node))
    return { input: 'hidden-time' as const, what: 'the present time from Date without an argument' };
  const name = identifierName(node);
  const input = name === undefined ? undefined : globals.get(name);
  return input && name && isValue(parent, field) ? { input, what: name } : undefined;
}

function memberUse(node: SyntaxNode) {
  const object = identifierName(node['object']);
  const property = identifierName(node['property']);
  if (node['computed'] === true || object === undefined || property === undefined) return undefined;
  const input = members.get(`${object}.${property}`) ?? (object === 'globalThis' ? globals.get(property) : undefined);
  return input && { input, what: `${object}.${property}` };
}

function isBareDate(node: SyntaxNode): boolean {
  if (identifierName(node['callee']) !== 'Date') return false;
  if (node.type === 'CallExpression') return true;
  return node.type === 'NewExpression' && Array.isArray(node['arguments']) && node['arguments'].length === 0;
}

/** A name that is read, not a field, a key, a declaration or an import with the same name. */
function isValue(parent: SyntaxNode | undefined, field: string): boolean {
  if (!parent) return false;
  if (parent.type === 'MemberExpression') return field === 'object' || parent['computed'] === true;
  if (/^(Property|PropertyDefinition|MethodDefinition|TS)/.test(parent.type)) return field === 'value';
  return !/^(Import|Export)/.test(parent.type) && field !== 'id' && field !== 'params';
}
