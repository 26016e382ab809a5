// SPDX-License-Identifier: Apache-2.0
package main

import (
	"context"
	"fmt"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
)

type queue = workqueue.TypedRateLimitingInterface[string]

// runQueue does the four workloads of B5; each word names one and answers with operations per second.
func runQueue(_ context.Context, o options) (func(string) (any, error), error) {
	make := func() queue {
		if o.mode == "priority" {
			return priorityqueue.New[string]("bench")
		}
		return workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]())
	}
	workloads := map[string]func(queue) map[string]float64{
		"cycle": cycle, "burst": burst, "timers": timers, "deduplicate": deduplicate,
	}
	return func(word string) (any, error) {
		workload, known := workloads[word]
		if !known {
			return nil, fmt.Errorf("there is no workload %q", word)
		}
		q := make()
		runtime.GC()
		result := workload(q)
		// The priority queue must not be shut down twice.
		if !q.ShuttingDown() {
			q.ShutDown()
		}
		return result, nil
	}, nil
}

func perSecond(operations int, begun time.Time) map[string]float64 {
	return map[string]float64{"perSecond": float64(operations) / time.Since(begun).Seconds()}
}

// cycle: one key added, taken and done, a million times.
func cycle(q queue) map[string]float64 {
	const count = 1_000_000
	begun := time.Now()
	for range count {
		q.Add("key")
		key, _ := q.Get()
		q.Done(key)
	}
	return perSecond(count, begun)
}

// burst: 300,000 different keys at once, then all of them taken.
func burst(q queue) map[string]float64 {
	const count = 300_000
	keys := names(count)
	begun := time.Now()
	for _, key := range keys {
		q.Add(key)
	}
	for range count {
		key, _ := q.Get()
		q.Done(key)
	}
	return perSecond(count, begun)
}

// timers: 100,000 keys delayed by up to a second, and one worker: additions a second, and how late keys came, in milliseconds.
func timers(q queue) map[string]float64 {
	const count = 100_000
	keys := names(count)
	// When each is due, in microseconds since the beginning.
	due := make([]atomic.Int64, count)
	late := make([]float64, 0, count)
	begun := time.Now()
	var worker sync.WaitGroup
	worker.Go(func() {
		for range count {
			key, _ := q.Get()
			number, _ := strconv.Atoi(key[len(key)-6:])
			late = append(late, max(0, float64(time.Since(begun).Microseconds()-due[number].Load())/1000))
			q.Done(key)
		}
	})
	for i, key := range keys {
		delay := time.Duration(i*7919%count) * time.Second / count
		due[i].Store((time.Since(begun) + delay).Microseconds())
		q.AddAfter(key, delay)
	}
	result := perSecond(count, begun)
	worker.Wait()
	lateness := quantilesOf(late)
	result["p50"], result["p99"] = lateness.P50, lateness.P99
	return result
}

// deduplicate: a million additions over 1000 keys, with ten workers.
func deduplicate(q queue) map[string]float64 {
	const count, different = 1_000_000, 1000
	keys := names(different)
	var workers sync.WaitGroup
	var handled atomic.Int64
	begun := time.Now()
	for range 10 {
		workers.Go(func() {
			for {
				key, down := q.Get()
				if down {
					return
				}
				handled.Add(1)
				q.Done(key)
			}
		})
	}
	for i := range count {
		q.Add(keys[i%different])
	}
	q.ShutDownWithDrain()
	workers.Wait()
	result := perSecond(count, begun)
	result["handled"] = float64(handled.Load())
	return result
}

func names(count int) []string {
	all := make([]string, count)
	for i := range all {
		all[i] = fmt.Sprintf("namespace/object-%06d", i)
	}
	return all
}
