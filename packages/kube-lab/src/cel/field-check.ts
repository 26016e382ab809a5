// SPDX-License-Identifier: Apache-2.0
import type { ASTNode, Environment } from '@marcbachmann/cel-js';
import type { SchemaNode } from '../crd/schema/schema-node.ts';
import { escapedName } from './convert.ts';

/** An error in an expression. The first column is 1. */
export interface CelProblem {
  readonly column: number;
  readonly message: string;
}

/** A placeholder for a value of unknown type. */
type Known = SchemaNode | undefined;
type Scope = ReadonlyMap<string, Known>;

const comprehensions = new Set(['all', 'exists', 'exists_one', 'existsOne', 'filter', 'map']);
const metaNames = new Set(['apiVersion', 'kind', 'metadata']);

/** Parses a rule and finds syntax errors, unknown names, and fields that the schema does not have. */
export function checkRule(
  environment: Environment,
  expression: string,
  self: SchemaNode,
  isRoot: boolean,
): CelProblem | undefined {
  const { valid, error } = environment.check(expression);
  if (!valid) {
    const { range, message = 'invalid' } = (error ?? {}) as { range?: { start: number }; message?: string };
    const text = message.split('\n')[0] ?? message;
    const isSyntax = error?.name === 'ParseError';
    return { column: (range?.start ?? 0) + 1, message: isSyntax ? `Syntax error: ${text}` : translate(text) };
  }
  const { ast } = environment.parse(expression);
  const scope = new Map<string, Known>([
    ['self', self],
    ['oldSelf', self],
  ]);
  return new FieldChecker(self, isRoot).visit(ast, scope).problem;
}

function translate(text: string): string {
  return text.replace(/^Unknown variable: (.*)$/, "undeclared reference to '$1' (in container '')");
}

interface Visited {
  readonly known: Known;
  readonly problem: CelProblem | undefined;
}

class FieldChecker {
  readonly #root: SchemaNode;
  readonly #isRoot: boolean;

  constructor(root: SchemaNode, isRoot: boolean) {
    this.#root = root;
    this.#isRoot = isRoot;
  }

  visit(node: ASTNode, scope: Scope): Visited {
    switch (node.op) {
      case 'id':
        return found(scope.get(node.args));
      case 'value':
        return nothing;
      case '.':
      case '.?':
        return this.#access(node, node.args[0], node.args[1], scope);
      case '[]':
      case '[?]': {
        const [object, index] = node.args;
        const problem = this.visit(index, scope).problem;
        const target = this.visit(object, scope);
        return { known: elementOf(target.known), problem: target.problem ?? problem };
      }
      case 'rcall':
        return this.#call(node.args[0], node.args[1], node.args[2], scope);
      case 'call':
        return this.#all(node.args[1], scope);
      case '?:':
      case '||':
      case '&&':
      case 'list':
        return this.#all(node.args, scope);
      case 'map':
        return this.#all(node.args.flat(), scope);
      case '!_':
      case '-_':
        return this.#all([node.args], scope);
      default:
        return this.#all(node.args, scope);
    }
  }

  #access(node: ASTNode, object: ASTNode, name: string, scope: Scope): Visited {
    const target = this.visit(object, scope);
    if (target.problem || !target.known) return target.problem ? target : nothing;
    const { known } = target;
    if (known.properties.size === 0) return found(elementOf(known));
    const property = [...known.properties].find(([key]) => escapedName(key) === name)?.[1];
    if (property) return found(property);
    const isObject = known.embedded || (this.#isRoot && known === this.#root);
    if (isObject && metaNames.has(name)) return nothing;
    const column = node.range.end - name.length;
    return { known: undefined, problem: { column, message: `undefined field '${name}'` } };
  }

  #call(name: string, receiver: ASTNode, args: readonly ASTNode[], scope: Scope): Visited {
    const target = this.visit(receiver, scope);
    if (target.problem) return target;
    const [variable, ...body] = args;
    if (!comprehensions.has(name) || variable?.op !== 'id') return this.#all(args, scope);
    const inner = new Map(scope).set(variable.args, target.known?.items);
    const { problem } = this.#all(body, inner);
    const known = name === 'filter' ? target.known : undefined;
    return { known, problem };
  }

  #all(nodes: readonly ASTNode[], scope: Scope): Visited {
    for (const node of nodes) {
      const { problem } = this.visit(node, scope);
      if (problem) return { known: undefined, problem };
    }
    return nothing;
  }
}

const nothing: Visited = { known: undefined, problem: undefined };

function found(known: Known): Visited {
  return { known, problem: undefined };
}

function elementOf(node: Known): Known {
  return node?.items ?? (node?.additional === true ? undefined : node?.additional);
}
