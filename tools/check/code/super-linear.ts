// SPDX-License-Identifier: Apache-2.0
import type { Check, Problem } from '../check.ts';
import { isProduct, sourceFiles } from '../tree.ts';
import { whySlow } from './slow-expression.ts';
import { identifierName, lineAt, parse, type SyntaxNode, walk } from './syntax.ts';

/** A test bed, only used by tests. */
const testBed = 'packages/kube-lab/';

/**
 * Regular expressions whose time grows faster than their input: with 100 KB of unfavourable characters one of them
 * blocks the whole process. The input of product code is mostly not trusted.
 */
export const superLinear: Check = {
  name: 'super-linear expressions',
  async run(tree) {
    const files = sourceFiles(tree).filter((file) => isProduct(file) && !file.startsWith(testBed));
    return { problems: files.flatMap((file) => findIn(file, tree.read(file))) };
  },
};

interface Expression {
  readonly pattern: string;
  readonly flags: string;
}

function findIn(file: string, text: string): readonly Problem[] {
  const problems: Problem[] = [];
  walk(parse(file, text), (node) => {
    const expression = expressionOf(node);
    const why = expression && whySlow(expression.pattern, expression.flags);
    if (!why) return;
    const message = `/${expression.pattern}/ takes ${why}`;
    problems.push({ rule: 'super-linear', file, line: lineAt(text, node.start), message });
  });
  return problems;
}

/** For a literal, or `new RegExp` with constant texts; dynamic expressions cannot be checked here. */
function expressionOf(node: SyntaxNode): Expression | undefined {
  if (node.type === 'Literal' && isExpression(node['regex'])) return node['regex'];
  if (node.type !== 'NewExpression' || identifierName(node['callee']) !== 'RegExp') return undefined;
  const [pattern, flags = ''] = Array.isArray(node['arguments']) ? node['arguments'].map(textOf) : [];
  return pattern === undefined ? undefined : { pattern, flags };
}

function isExpression(value: unknown): value is Expression {
  return typeof value === 'object' && value !== null && 'pattern' in value && 'flags' in value;
}

function textOf(node: SyntaxNode): string | undefined {
  return node.type === 'Literal' && typeof node['value'] === 'string' ? node['value'] : undefined;
}
