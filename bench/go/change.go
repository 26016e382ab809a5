// SPDX-License-Identifier: Apache-2.0
package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
)

// runChurn changes objects as fast as the server allows; each change says when it was sent. "go 5000" makes 5000 of them.
func runChurn(ctx context.Context, o options) (func(string) (any, error), error) {
	client, err := dynamic.NewForConfig(restConfig("json"))
	if err != nil {
		return nil, err
	}
	return func(word string) (any, error) {
		changes := 0
		if _, err := fmt.Sscanf(word, "go %d", &changes); err != nil {
			return nil, fmt.Errorf("there is no word %q", word)
		}
		begun := time.Now()
		err := inParallel(o.concurrency, changes, func(i int) error {
			number := i % o.count
			patch := fmt.Sprintf(`{"metadata":{"annotations":{%q:"%.3f"}}}`, stampAnnotation, nowMilliseconds())
			_, err := client.Resource(resourceOf(o)).Namespace(namespaceOf(number, o)).
				Patch(ctx, nameOf(number), types.MergePatchType, []byte(patch), metav1.PatchOptions{})
			return err
		})
		return map[string]float64{"wall": time.Since(begun).Seconds()}, err
	}, nil
}

// An observer sees changes of spec and status of clusters from outside, through a watch of its own.
type observer struct {
	mutex   sync.Mutex
	changed *sync.Cond
	// The newest generation of each object that its status has caught up with.
	settled map[string]int64
	// When a generation was first seen in the spec, and when in the status; in milliseconds.
	specAt, statusAt map[string]float64
	// Changes that left the generation alone since the last reset: writes of status.
	statusWrites int
	generation   map[string]int64
}

func observe(ctx context.Context, client dynamic.Interface) (*observer, error) {
	list, err := client.Resource(clusterResource).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	o := &observer{settled: map[string]int64{}, specAt: map[string]float64{}, statusAt: map[string]float64{}, generation: map[string]int64{}}
	o.changed = sync.NewCond(&o.mutex)
	for i := range list.Items {
		o.generation[list.Items[i].GetName()] = list.Items[i].GetGeneration()
	}
	// The server ends watches of a kind whose definition is new.
	events, err := watchtools.NewRetryWatcherWithContext(ctx, list.GetResourceVersion(), &cache.ListWatch{
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			return client.Resource(clusterResource).Watch(ctx, options)
		},
	})
	if err != nil {
		return nil, err
	}
	go func() {
		for event := range events.ResultChan() {
			if object, ok := event.Object.(*unstructured.Unstructured); ok && event.Type == watch.Modified {
				o.see(object)
			}
		}
	}()
	return o, nil
}

func (o *observer) see(object *unstructured.Unstructured) {
	now := nowMilliseconds()
	name, generation := object.GetName(), object.GetGeneration()
	observed, _, _ := unstructured.NestedInt64(object.Object, "status", "observedGeneration")
	o.mutex.Lock()
	defer o.mutex.Unlock()
	if generation == o.generation[name] {
		o.statusWrites++
	}
	o.generation[name] = generation
	note(o.specAt, name, generation, now)
	if observed > o.settled[name] {
		o.settled[name] = observed
		note(o.statusAt, name, observed, now)
		o.changed.Broadcast()
	}
}

func note(times map[string]float64, name string, generation int64, now float64) {
	key := fmt.Sprintf("%s/%d", name, generation)
	if _, known := times[key]; !known {
		times[key] = now
	}
}

// reset forgets what was seen before a measurement.
func (o *observer) reset() {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	o.statusWrites = 0
	o.specAt, o.statusAt = map[string]float64{}, map[string]float64{}
}

// wait blocks until the status of every object is at its wanted generation.
func (o *observer) wait(wanted map[string]int64, limit time.Duration) error {
	expired := false
	timer := time.AfterFunc(limit, func() {
		o.mutex.Lock()
		defer o.mutex.Unlock()
		expired = true
		o.changed.Broadcast()
	})
	defer timer.Stop()
	o.mutex.Lock()
	defer o.mutex.Unlock()
	for {
		behind := 0
		for name, generation := range wanted {
			if o.settled[name] < generation {
				behind++
			}
		}
		if behind == 0 {
			return nil
		}
		if expired {
			return fmt.Errorf("%d of %d objects were not reconciled within %s", behind, len(wanted), limit)
		}
		o.changed.Wait()
	}
}

func changeSpec(ctx context.Context, client dynamic.Interface, namespace, name string, value int64) (int64, error) {
	patch := fmt.Sprintf(`{"spec":{"pod":{"annotations":{"bench.etcd-operator/change":"%d"}}}}`, value)
	object, err := client.Resource(clusterResource).Namespace(namespace).
		Patch(ctx, name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	if err != nil {
		return 0, err
	}
	return object.GetGeneration(), nil
}

// runStorm changes every cluster once, and waits until every status says so.
func runStorm(ctx context.Context, o options) (func(string) (any, error), error) {
	client, err := dynamic.NewForConfig(restConfig("json"))
	if err != nil {
		return nil, err
	}
	seen, err := observe(ctx, client)
	if err != nil {
		return nil, err
	}
	return func(string) (any, error) {
		seen.reset()
		wanted := map[string]int64{}
		var mutex sync.Mutex
		begun := time.Now()
		err := inParallel(o.concurrency, o.count, func(i int) error {
			generation, err := changeSpec(ctx, client, namespaceOf(i, o), nameOf(i), time.Now().UnixNano())
			mutex.Lock()
			defer mutex.Unlock()
			wanted[nameOf(i)] = generation
			return err
		})
		if err != nil {
			return nil, err
		}
		changed := time.Since(begun).Seconds()
		if err := seen.wait(wanted, time.Minute); err != nil {
			return nil, err
		}
		wall := time.Since(begun).Seconds()
		// A second write of an object would come about now.
		time.Sleep(500 * time.Millisecond)
		seen.mutex.Lock()
		defer seen.mutex.Unlock()
		return map[string]float64{"wall": wall, "changed": changed, "statusWrites": float64(seen.statusWrites)}, nil
	}, nil
}

// runPulse changes one cluster at a steady pace and measures, at a watch of its own, from a change of its spec to that of its status.
// "go 400" makes 400 changes.
func runPulse(ctx context.Context, o options) (func(string) (any, error), error) {
	client, err := dynamic.NewForConfig(restConfig("json"))
	if err != nil {
		return nil, err
	}
	seen, err := observe(ctx, client)
	if err != nil {
		return nil, err
	}
	return func(word string) (any, error) {
		changes := 0
		if _, err := fmt.Sscanf(word, "go %d", &changes); err != nil {
			return nil, fmt.Errorf("there is no word %q", word)
		}
		seen.reset()
		ticker := time.NewTicker(time.Duration(o.milliseconds) * time.Millisecond)
		defer ticker.Stop()
		var generation int64
		for i := range changes {
			<-ticker.C
			if generation, err = changeSpec(ctx, client, namespaceOf(0, o), nameOf(0), time.Now().UnixNano()+int64(i)); err != nil {
				return nil, err
			}
		}
		if err := seen.wait(map[string]int64{nameOf(0): generation}, time.Minute); err != nil {
			return nil, err
		}
		seen.mutex.Lock()
		defer seen.mutex.Unlock()
		var latencies []float64
		for key, at := range seen.statusAt {
			if spec, known := seen.specAt[key]; known {
				latencies = append(latencies, at-spec)
			}
		}
		return quantilesOf(latencies), nil
	}, nil
}
