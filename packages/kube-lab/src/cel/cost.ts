// SPDX-License-Identifier: Apache-2.0
import type { ASTNode, Environment } from '@marcbachmann/cel-js';
import type { SchemaNode } from '../crd/schema/schema-node.ts';
import { escapedName } from './convert.ts';

/** The maximum cost of one rule, and of all rules of a schema. */
export const ruleBudget = 10_000_000;
export const schemaBudget = 100_000_000;

const requestBytes = 3 * 1024 * 1024;

type Known = SchemaNode | undefined;
type Scope = ReadonlyMap<string, Known>;

const comprehensions = new Set(['all', 'exists', 'exists_one', 'existsOne', 'filter', 'map']);
/** Functions whose cost grows with the length of the text. */
const scanning = new Set([
  'contains',
  'startsWith',
  'endsWith',
  'matches',
  'indexOf',
  'lastIndexOf',
  'replace',
  'split',
  'find',
  'findAll',
  'lowerAscii',
  'upperAscii',
  'trim',
]);
const compared = new Set(['==', '!=', '<', '<=', '>', '>=', 'in', '+']);

/**
 * The estimated worst-case cost of a rule, roughly as the real server computes it. The body of a loop counts once for
 * each possible item of the list; a list without `maxItems` is assumed to fill a request.
 */
export function estimateCost(environment: Environment, expression: string, self: SchemaNode): number {
  const { ast } = environment.parse(expression);
  const scope = new Map<string, Known>([
    ['self', self],
    ['oldSelf', self],
  ]);
  return visit(ast, scope).cost;
}

interface Estimate {
  readonly cost: number;
  readonly known: Known;
}

function visit(node: ASTNode, scope: Scope): Estimate {
  switch (node.op) {
    case 'value':
      return { cost: 0, known: undefined };
    case 'id':
      return { cost: 1, known: scope.get(node.args) };
    case '.':
    case '.?': {
      const target = visit(node.args[0], scope);
      return { cost: target.cost + 1, known: fieldOf(target.known, node.args[1]) };
    }
    case '[]':
    case '[?]': {
      const target = visit(node.args[0], scope);
      return { cost: target.cost + visit(node.args[1], scope).cost + 1, known: elementOf(target.known) };
    }
    case 'rcall':
      return visitCall(node.args[0], node.args[1], node.args[2], scope);
    case 'call':
      return sum(node.args[1], scope, 1);
    case 'map':
      return sum(node.args.flat(), scope, 30);
    case 'list':
      return sum(node.args, scope, 10);
    case '!_':
    case '-_':
      return sum([node.args], scope, 1);
    default:
      return visitOperator(node.op, node.args, scope);
  }
}

function visitOperator(operator: string, args: readonly ASTNode[], scope: Scope): Estimate {
  const parts = args.map((arg) => visit(arg, scope));
  const total = parts.reduce((cost, part) => cost + part.cost, 1);
  if (!compared.has(operator)) return { cost: total, known: undefined };
  // Comparing two texts costs as much as reading the shorter one.
  const sizes = parts.map((part) => sizeOf(part.known)).filter((size) => size !== undefined);
  const shortest = sizes.length === 0 ? 0 : Math.min(...sizes);
  return { cost: total + shortest * 0.1, known: undefined };
}

function visitCall(name: string, receiver: ASTNode, args: readonly ASTNode[], scope: Scope): Estimate {
  const target = visit(receiver, scope);
  const [variable, ...body] = args;
  if (comprehensions.has(name) && variable?.op === 'id') {
    const inner = new Map(scope).set(variable.args, target.known?.items);
    const each = sum(body, inner, 2).cost;
    const count = countOf(target.known);
    return { cost: target.cost + count * each, known: name === 'filter' ? target.known : undefined };
  }
  const own = sum(args, scope, 1).cost;
  const scanned = scanning.has(name) ? (sizeOf(target.known) ?? 0) * 0.1 : 0;
  return { cost: target.cost + own + scanned, known: undefined };
}

function sum(nodes: readonly ASTNode[], scope: Scope, base: number): Estimate {
  return { cost: nodes.reduce((cost, node) => cost + visit(node, scope).cost, base), known: undefined };
}

function fieldOf(node: Known, name: string): Known {
  if (!node) return undefined;
  const property = [...node.properties].find(([key]) => escapedName(key) === name)?.[1];
  return property ?? elementOf(node);
}

function elementOf(node: Known): Known {
  return node?.items ?? (node?.additional === true ? undefined : node?.additional);
}

/** The maximum number of items of a list or map. */
export function countOf(node: Known): number {
  if (!node) return 1;
  const { maxItems, maxProperties } = node.limits;
  const element = elementOf(node);
  if (!element) return node.type === 'array' ? (maxItems ?? requestBytes / 2) : 1;
  const bound = node.type === 'array' ? maxItems : maxProperties;
  const overhead = node.type === 'array' ? 1 : 6;
  return bound ?? Math.floor(requestBytes / (leastBytes(element) + overhead));
}

/** The minimum size of a serialized value in bytes. */
function leastBytes(node: SchemaNode): number {
  switch (node.type) {
    case 'boolean':
      return 4;
    case 'integer':
    case 'number':
      return 1;
    case 'object':
      return node.required.reduce(
        (bytes, name) => bytes + name.length + 4 + leastBytes(node.properties.get(name) ?? node),
        2,
      );
    default:
      return 2;
  }
}

/** The maximum length of a text; undefined for other values. */
function sizeOf(node: Known): number | undefined {
  if (node?.type !== 'string') return undefined;
  return node.limits.maxLength ?? node.limits.enum?.length ?? requestBytes;
}
