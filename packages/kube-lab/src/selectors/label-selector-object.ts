// SPDX-License-Identifier: Apache-2.0
import { type LabelSelector, type Labels, ParseError, matchesLabelSelector as selects } from '@operator-parts/kube';
import { asArray, asObject, asObjects, asString, type JsonObject } from '../json/json.ts';
import { type FieldError, forbiddenField, invalid, required } from '../validation/field-error.ts';
import { labelValueErrors, qualifiedNameErrors } from '../validation/names.ts';
import { validateLabels } from '../validation/object-meta.ts';

/** True if labels match a `LabelSelector`. An empty one matches everything, an invalid one nothing. */
export function matchesLabelSelector(selector: JsonObject, labels: JsonObject): boolean {
  try {
    return selects(selector as LabelSelector, labels as Labels);
  } catch (error) {
    if (error instanceof ParseError) return false;
    throw error;
  }
}

/** The validation errors of a `LabelSelector`. */
export function validateLabelSelector(selector: JsonObject, field: string): FieldError[] {
  return [
    ...validateLabels(asObject(selector['matchLabels']), `${field}.matchLabels`),
    ...asObjects(selector['matchExpressions']).flatMap((expression, index) =>
      validateExpression(expression, `${field}.matchExpressions[${index}]`),
    ),
  ];
}

function validateExpression(expression: JsonObject, field: string): FieldError[] {
  const operator = asString(expression['operator']) ?? '';
  const values = asArray(expression['values']).map(String);
  const errors: FieldError[] = [];
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length === 0)
      errors.push(required(`${field}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (values.length > 0) {
      errors.push(
        forbiddenField(`${field}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"),
      );
    }
  } else {
    errors.push(invalid(`${field}.operator`, operator, 'not a valid selector operator'));
  }
  const key = asString(expression['key']) ?? '';
  errors.push(...qualifiedNameErrors(key).map((detail) => invalid(`${field}.key`, key, detail)));
  for (const [index, value] of values.entries()) {
    errors.push(...labelValueErrors(value).map((detail) => invalid(`${field}.values[${index}]`, value, detail)));
  }
  return errors;
}
