// SPDX-License-Identifier: Apache-2.0
package main

import (
	"flag"
	"os"

	"k8s.io/client-go/rest"
)

// What a program is started with. The API server comes by the environment, so that no token is on a command line.
type options struct {
	program      string
	kind         string
	codec        string
	mode         string
	template     string
	count        int
	namespaces   int
	concurrency  int
	milliseconds int
	withPods     bool
}

func readOptions(args []string) (options, error) {
	o := options{}
	if len(args) > 0 {
		o.program = args[0]
		args = args[1:]
	}
	flags := flag.NewFlagSet(o.program, flag.ContinueOnError)
	flags.StringVar(&o.kind, "kind", "pods", "pods or clusters")
	flags.StringVar(&o.codec, "codec", "", "json or protobuf; else what the client chooses")
	flags.StringVar(&o.mode, "mode", "typed", "typed or unstructured")
	flags.StringVar(&o.template, "template", "", "file with a list of objects to load")
	flags.IntVar(&o.count, "count", 0, "how many objects or changes")
	flags.IntVar(&o.namespaces, "namespaces", 50, "over how many namespaces objects are spread")
	flags.IntVar(&o.concurrency, "concurrency", 1, "how many at a time")
	flags.IntVar(&o.milliseconds, "milliseconds", 50, "between two changes")
	flags.BoolVar(&o.withPods, "with-pods", false, "cache pods too")
	return o, flags.Parse(args)
}

// Client-side throttling is off, as it is on our side.
func restConfig(codec string) *rest.Config {
	config := &rest.Config{
		Host:            os.Getenv("BENCH_SERVER"),
		BearerToken:     os.Getenv("BENCH_TOKEN"),
		TLSClientConfig: rest.TLSClientConfig{CAFile: os.Getenv("BENCH_CA")},
		QPS:             -1,
	}
	// Said in so many words: clients of built-in kinds choose protobuf by themselves.
	switch codec {
	case "protobuf":
		config.ContentType = "application/vnd.kubernetes.protobuf"
		config.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	case "json":
		config.ContentType = "application/json"
		config.AcceptContentTypes = "application/json"
	}
	return config
}
