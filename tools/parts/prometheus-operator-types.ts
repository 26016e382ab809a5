// SPDX-License-Identifier: Apache-2.0
import type { GoRecipe } from './recipes/recipe.ts';

/**
 * The types of the Prometheus operator, in a program that reads objects as lines of JSON and prints a line for each: `ok`, or the field that
 * the type does not have or that has another type.
 */
export function prometheusOperatorTypes(version: string, sum: string): GoRecipe {
  const path = 'github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring';
  const library = `${path}/v1`;
  const main = `package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"

	monitoring "${library}"
)

func main() {
	if len(os.Args) > 1 {
		fmt.Println("prometheus-operator-types ${version}")
		return
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		fmt.Println(judge(lines.Bytes()))
	}
}

func judge(text []byte) string {
	var named struct{ Kind string }
	if err := json.Unmarshal(text, &named); err != nil {
		return err.Error()
	}
	objects := map[string]any{
		"PodMonitor":     &monitoring.PodMonitor{},
		"PrometheusRule": &monitoring.PrometheusRule{},
		"ServiceMonitor": &monitoring.ServiceMonitor{},
	}
	object, isKnown := objects[named.Kind]
	if !isKnown {
		return fmt.Sprintf("there is no kind %q", named.Kind)
	}
	strict := json.NewDecoder(bytes.NewReader(text))
	strict.DisallowUnknownFields()
	if err := strict.Decode(object); err != nil {
		return err.Error()
	}
	return "ok"
}
`;
  return {
    kind: 'go',
    version,
    go: '1.26',
    bytesNeeded: 500e6,
    modules: [{ path, version: `v${version}`, sum }],
    programs: [
      {
        name: 'prometheus-operator-types',
        source: { main, imports: [library] },
        verify: { args: ['--version'], prints: `prometheus-operator-types ${version}` },
      },
    ],
  };
}
