// SPDX-License-Identifier: Apache-2.0
import { type AST, RegExpParser, visitRegExpAST } from '@eslint-community/regexpp';
import { getConsumedChars, getFirstConsumedChar, isPotentiallyEmpty, isZeroLength } from 'regexp-ast-analysis';
import { analyse } from 'scslre';

/** Why the time of an expression grows faster than its input; undefined if no reason is found. */
export function whySlow(pattern: string, flags: string): string | undefined {
  // An expression with the flag y is tried at one position only.
  const isSearched = !flags.includes('y');
  const { reports } = analyse(new RegExp(pattern, flags), {
    reportTypes: { Move: isSearched, Self: true, Trade: true },
  });
  const [worst] = [...reports].sort((a, b) => Number(b.exponential) - Number(a.exponential));
  if (worst) return `${worst.exponential ? 'exponential' : 'quadratic'} time: ${remedies[worst.type]}`;
  const expression = parse(pattern, flags);
  if (hasOverlappingAlternatives(expression)) return `exponential time: ${remedies.Self}`;
  return isSearched && restartsInside(expression) ? `quadratic time: ${remedies.Move}` : undefined;
}

const remedies = {
  Move: 'it begins again inside of what it has just read; anchor it with ^, forbid its beginning in the repetition, or write code',
  Trade: 'two repetitions next to each other take the same characters; make them differ, or limit one with {0,n}',
  Self: 'a repetition can take the same characters in several ways; let its alternatives begin differently',
} as const;

interface Expression {
  readonly pattern: AST.Pattern;
  readonly flags: AST.Flags;
}

function parse(pattern: string, flags: string): Expression {
  const parser = new RegExpParser();
  const parsed = parser.parseFlags(flags);
  return { pattern: parser.parsePattern(pattern, 0, pattern.length, parsed), flags: parsed };
}

function quantifiersOf(node: AST.Node): readonly AST.Quantifier[] {
  const found: AST.Quantifier[] = [];
  visitRegExpAST(node, { onQuantifierEnter: (quantifier) => void found.push(quantifier) });
  return found.filter(({ max }) => max === Number.POSITIVE_INFINITY);
}

/**
 * `(a|ab)*`: not detected by scslre. Alternatives with a common beginning count, even if they can be distinguished
 * later.
 */
function hasOverlappingAlternatives({ pattern, flags }: Expression): boolean {
  return quantifiersOf(pattern).some((quantifier) => {
    const alternatives = alternativesOf(quantifier.element);
    const firsts = alternatives.map((alternative) => getFirstConsumedChar(alternative, 'ltr', flags).char);
    return firsts.some((first, index) => firsts.slice(0, index).some((other) => !first.isDisjointWith(other)));
  });
}

function alternativesOf(element: AST.QuantifiableElement): readonly AST.Alternative[] {
  if (element.type !== 'Group' && element.type !== 'CapturingGroup') return [];
  const [only, ...more] = element.alternatives;
  const inner = only?.elements[0];
  const isWrapped =
    more.length === 0 && only?.elements.length === 1 && (inner?.type === 'Group' || inner?.type === 'CapturingGroup');
  return isWrapped ? alternativesOf(inner) : element.alternatives;
}

/**
 * `a.*b` on `aaaa`: a match may begin at every `a`, and each attempt reads to the end. Finds repetitions of single
 * characters that match everything with which the expression begins, and after which the match can fail.
 */
function restartsInside({ pattern, flags }: Expression): boolean {
  return pattern.alternatives.some((alternative) => {
    if (isAnchored(alternative, flags)) return false;
    return quantifiersOf(alternative).some((quantifier) => {
      if (quantifier.element.type !== 'CharacterClass' && quantifier.element.type !== 'CharacterSet') return false;
      const { chars } = getConsumedChars(quantifier.element, flags);
      const readable = (element: AST.Element) =>
        isPotentiallyEmpty(element, flags) || !getConsumedChars(element, flags).chars.isDisjointWith(chars);
      const before = elementsBefore(quantifier).filter((element) => !isZeroLength(element, flags));
      // If nothing precedes it, scslre has checked it.
      return before.length > 0 && before.every(readable) && canFailAfter(quantifier, flags);
    });
  });
}

function isAnchored({ elements: [first] }: AST.Alternative, flags: AST.Flags): boolean {
  if (first?.type === 'Group' || first?.type === 'CapturingGroup')
    return first.alternatives.every((alternative) => isAnchored(alternative, flags));
  return first?.type === 'Assertion' && first.kind === 'start' && !flags.multiline;
}

function elementsBefore(element: AST.Element): readonly AST.Element[] {
  const siblings = siblingsOf(element);
  const own = siblings.slice(0, siblings.indexOf(element));
  const outer = outerElement(element);
  return outer ? [...elementsBefore(outer), ...own] : own;
}

function canFailAfter(element: AST.Element, flags: AST.Flags): boolean {
  const siblings = siblingsOf(element);
  const rest = siblings.slice(siblings.indexOf(element) + 1);
  if (rest.some((next) => isZeroLength(next, flags) || !isPotentiallyEmpty(next, flags))) return true;
  const outer = outerElement(element);
  return outer !== undefined && canFailAfter(outer, flags);
}

function siblingsOf({ parent }: AST.Element): readonly AST.Element[] {
  return parent.type === 'Alternative' ? parent.elements : [];
}

/** The parent of an element; undefined at the top. */
function outerElement({ parent }: AST.Element): AST.Element | undefined {
  if (parent.type === 'Quantifier') return parent;
  if (parent.type !== 'Alternative' || parent.parent.type === 'Pattern') return undefined;
  return parent.parent;
}
