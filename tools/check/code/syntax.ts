// SPDX-License-Identifier: Apache-2.0
import { parseSync } from 'oxc-parser';

/** A node of the syntax tree, with the fields that checks use. */
export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

/** An import: `import`, `export ... from`, `import()` and `import('x')` in types. */
export interface ModuleReference {
  readonly specifier: string;
  readonly offset: number;
  /** The imported names as the module exports them; empty for a whole-module or dynamic import. */
  readonly names: readonly string[];
}

/** Parses TypeScript. The compiler reports syntax errors; the valid part is returned. */
export function parse(file: string, text: string): SyntaxNode {
  return parseSync(file, text).program as unknown as SyntaxNode;
}

/** Calls `visit` for every node with its parent and the field of the parent that contains it. */
export function walk(
  node: SyntaxNode,
  visit: (node: SyntaxNode, parent: SyntaxNode | undefined, field: string) => void,
  parent?: SyntaxNode,
  field = '',
): void {
  visit(node, parent, field);
  for (const [name, value] of Object.entries(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (isNode(child)) walk(child, visit, node, name);
    }
  }
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';
}

/** The name of an identifier node; undefined for anything else. */
export function identifierName(node: unknown): string | undefined {
  return isNode(node) && node.type === 'Identifier' && typeof node['name'] === 'string' ? node['name'] : undefined;
}

/** Every module that a file imports by a literal name. */
export function moduleReferences(program: SyntaxNode): readonly ModuleReference[] {
  const found: ModuleReference[] = [];
  walk(program, (node) => {
    const specifier = literal(node['source']) ?? (node.type === 'TSImportType' ? literal(node['argument']) : undefined);
    if (specifier === undefined || !/^(Import|Export|TSImport)/.test(node.type)) return;
    found.push({ specifier, offset: node.start, names: importedNames(node) });
  });
  return found;
}

function importedNames(node: SyntaxNode): readonly string[] {
  const specifiers = Array.isArray(node['specifiers']) ? node['specifiers'] : [];
  return specifiers.flatMap((specifier: unknown) => {
    const name = isNode(specifier) ? identifierName(specifier['imported'] ?? specifier['local']) : undefined;
    return name === undefined ? [] : [name];
  });
}

function literal(node: unknown): string | undefined {
  if (!isNode(node)) return undefined;
  if (node.type === 'TSLiteralType') return literal(node['literal']);
  return node.type === 'Literal' && typeof node['value'] === 'string' ? node['value'] : undefined;
}

/** The line, counted from 1, of an offset. */
export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let index = text.indexOf('\n'); index !== -1 && index < offset; index = text.indexOf('\n', index + 1)) line += 1;
  return line;
}
