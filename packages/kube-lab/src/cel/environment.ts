// SPDX-License-Identifier: Apache-2.0
import { Environment } from '@marcbachmann/cel-js';
import { registerLists } from './lists.ts';
import { registerNetwork } from './network.ts';
import { registerQuantity } from './quantity.ts';
import { registerStrings } from './strings.ts';

/** A parsed expression that can be evaluated repeatedly. */
export type CelProgram = (variables: Readonly<Record<string, unknown>>) => unknown;

const options = {
  unlistedVariablesAreDyn: false,
  enableOptionalTypes: true,
  homogeneousAggregateLiterals: false,
} as const;

/** The CEL of Kubernetes: the language, the functions that the API server adds, and the given variables. */
export function celEnvironment(variables: readonly string[]): Environment {
  const environment = base().clone();
  for (const name of variables) environment.registerVariable(name, 'dyn');
  return environment;
}

let shared: Environment | undefined;

function base(): Environment {
  if (shared) return shared;
  const environment = new Environment(options);
  registerStrings(environment);
  registerLists(environment);
  registerNetwork(environment);
  registerQuantity(environment);
  shared = environment;
  return environment;
}

/** The error of an expression in one line; undefined if it is valid. */
export function celProblem(environment: Environment, expression: string): string | undefined {
  const { valid, error } = environment.check(expression);
  return valid ? undefined : firstLine(error?.message ?? 'invalid expression');
}

/**
 * Parses an expression. If it is invalid, throws the error of the CEL library; `celProblem` returns that error as text.
 */
export function celProgram(environment: Environment, expression: string): CelProgram {
  const program = environment.parse(expression);
  return (variables) => program(variables);
}

/** The message of an evaluation error, with the prefix that Kubernetes uses. */
export function celMessage(error: unknown): string {
  const text = firstLine(error instanceof Error ? error.message : String(error));
  return text
    .replace(/^No such key/, 'no such key')
    .replace(/^Unknown variable: (.*)$/, "undeclared reference to '$1'");
}

function firstLine(text: string): string {
  return text.split('\n')[0] ?? text;
}

let durations: CelProgram | undefined;

/** A text such as `1h30m` as a CEL duration; undefined if it is not one. */
export function celDuration(text: string): object | undefined {
  durations ??= celProgram(celEnvironment(['text']), 'duration(text)');
  try {
    return durations({ text }) as object;
  } catch {
    return undefined;
  }
}
