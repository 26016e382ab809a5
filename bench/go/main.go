// SPDX-License-Identifier: Apache-2.0

// The Go side of the benchmarks: what client-go and controller-runtime do where our runtime does the same, and the loaders that
// both sides are measured with. Each program reads words from standard input, one a line ("go", "gc", ...), answers each with a
// line of JSON, and ends with its input.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

// A program is told to begin by the constructor and gets the words that follow one by one.
type program func(ctx context.Context, options options) (func(word string) (any, error), error)

var programs = map[string]program{
	"informer":   runInformer,
	"queue":      runQueue,
	"controller": runController,
	"load":       runLoad,
	"churn":      runChurn,
	"storm":      runStorm,
	"pulse":      runPulse,
}

func main() {
	klog.SetOutput(io.Discard)
	klog.LogToStderr(false)
	log.SetLogger(logr.Discard())
	if err := serve(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve() error {
	options, err := readOptions(os.Args[1:])
	if err != nil {
		return err
	}
	start, known := programs[options.program]
	if !known {
		return fmt.Errorf("there is no program %q", options.program)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	handle, err := start(ctx, options)
	if err != nil {
		return err
	}
	out := json.NewEncoder(os.Stdout)
	if err := out.Encode(map[string]bool{"ready": true}); err != nil {
		return err
	}
	input := bufio.NewScanner(os.Stdin)
	for input.Scan() {
		answer, err := handle(input.Text())
		if err != nil {
			return err
		}
		if err := out.Encode(answer); err != nil {
			return err
		}
	}
	return input.Err()
}
